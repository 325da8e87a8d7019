"""A maintenance window whose duration Argo CD cannot read, or that never opens.

Argo CD reads durations as Go does: `4h`, `90m`, `1h30m`. There is no unit for days, and a window of no length is never open.

Source: Argo CD v3.6, the validation of sync windows; Go, time.ParseDuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.cron import Unreadable, seconds
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="maintenance/bad-duration",
    severity=Severity.ERROR,
    summary="A maintenance window whose duration Argo CD cannot read",
    why="Argo CD then takes the windows of the project for invalid and syncs none of the Applications that they name.",
    fix="Write hours and minutes: `4h`, `1h30m`; two days are `48h`.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 2d}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 48h}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window with a duration that cannot be read."""
    for window in fleet.governance.windows:
        read = seconds(window.duration)
        if isinstance(read, Unreadable):
            summary = f"Argo CD cannot use the duration `{window.duration}`: {read.reason}"
            yield DOC.found(summary, at=fleet.places.value((*window.path, "duration")))
