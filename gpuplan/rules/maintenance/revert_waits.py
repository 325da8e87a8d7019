"""Maintenance windows in which a bad change cannot be taken back.

Outside the windows that allow, and inside those that deny, Argo CD syncs nothing: not a change, not its revert, and it
heals nothing either. Where all windows that hold a cluster at a time say `manualSync`, a person can still sync by hand.

Source: Argo CD v3.6, how sync windows are weighed.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.rules.windows import closed, clusters_by_windows, hard, lasting, readable

DOC = RuleDoc(
    id="maintenance/revert-waits",
    severity=Severity.INFO,
    summary="Maintenance windows in which a bad change cannot be taken back",
    why="A revert is a change like any other: it waits for the next time that is open, and nobody can sync by hand.",
    fix="Write `manualSync: true` in the windows, or accept the wait.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h, manualSync: true}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each set of windows with a time in which nobody can sync, with the longest such time."""
    for windows, clusters in clusters_by_windows(fleet):
        blocking = hard(windows)
        if blocking and readable(fleet, blocking):
            waits = [span.end - span.start for span in closed(fleet, blocking)]
            if waits:
                summary = f"Taking back a bad change in {listed(clusters)} waits for up to {lasting(max(waits))}"
                first = next(window for window in blocking if not window.manual_sync)
                yield DOC.found(summary, at=fleet.places.key(first.path))
