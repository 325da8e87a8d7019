"""A maintenance window that never opens.

30 February and 31 June do not come. An Application that such a window is to allow waits for ever unless another window
allows it; a freeze that never comes freezes nothing.

Source: robfig/cron v3, which Argo CD reads schedules with.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.cron import Cron, parse
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="maintenance/never-opens",
    severity=Severity.ERROR,
    summary="A maintenance window that never opens",
    why="No day of the calendar matches its schedule, so what it should allow or keep off, it does not.",
    fix="Write a day that comes: `0 2 28 2 *`, or `0 2 * * 6` for every Saturday.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 30 2 *", duration: 4h}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 28 2 *", duration: 4h}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window whose schedule no day matches."""
    for window in fleet.governance.windows:
        read = parse(window.schedule)
        if isinstance(read, Cron) and not read.fires(fleet.today):
            summary = f"The schedule `{window.schedule}` never fires"
            severity = None if window.allows else Severity.WARNING
            yield DOC.found(summary, at=fleet.places.value((*window.path, "schedule")), severity=severity)
