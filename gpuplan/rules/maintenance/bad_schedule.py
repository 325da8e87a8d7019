"""A maintenance window whose schedule Argo CD cannot read.

Argo CD reads five fields of cron: minute, hour, day of month, month and day of week. It knows lists, ranges, steps, and the
names of months and days; Sunday is 0, not 7, and neither `@daily` nor `L`, `W` and `#` mean anything to it. One schedule
that it cannot read stops every sync of every Application that the window names.

Source: Argo CD v3.6, the parser of sync windows; robfig/cron v3.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.cron import Unreadable, parse
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="maintenance/bad-schedule",
    severity=Severity.ERROR,
    summary="A maintenance window whose schedule Argo CD cannot read",
    why="Argo CD then takes the windows of the project for invalid and syncs none of the Applications that they name.",
    fix="Write minute, hour, day of month, month and day of week, with Sunday as 0: `0 2 * * 6`.",
    bad='governance: {maintenance: {windows: [{schedule: "@weekly", duration: 4h}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window with a schedule that cannot be read."""
    for window in fleet.governance.windows:
        read = parse(window.schedule)
        if isinstance(read, Unreadable):
            summary = f"Argo CD cannot read the schedule `{window.schedule}`: {read.reason}"
            yield DOC.found(summary, at=fleet.places.value((*window.path, "schedule")))
