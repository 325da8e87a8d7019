"""A maintenance window that opens again before it has closed.

A window of `48h` that opens every day is open for good, and changes come at any time all the same.

Source: Argo CD v3.6, when a sync window is active.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.rules.windows import never_closes, readable

DOC = RuleDoc(
    id="maintenance/never-closes",
    severity=Severity.WARNING,
    summary="A maintenance window that opens again before it has closed",
    why="It is open for good, so changes reach the cluster at any time all the same.",
    fix="Shorten `duration`, or open the window less often.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 * * *", duration: 48h}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * *", duration: 4h}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window that allows changes at all times; one that denies them has a rule of its own."""
    for window in fleet.governance.windows:
        if window.allows and readable(fleet, [window]) and never_closes(fleet, window):
            summary = f"The window of {listed([window.duration])} at {listed([window.schedule])} is open for good"
            yield DOC.found(summary, at=fleet.places.value((*window.path, "duration")))
