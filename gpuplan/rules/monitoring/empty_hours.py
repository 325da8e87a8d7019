"""Peak or office hours that end when they begin.

That may mean no time at all or a whole day, and who reads it differs: Prometheus would take a day, Alertmanager refuses
an interval whose end is not after its start.

Source: Alertmanager, time ranges of a time interval.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.hours import stretches

DOC = RuleDoc(
    id="monitoring/empty-hours",
    severity=Severity.ERROR,
    summary="Peak or office hours that end when they begin",
    why="It may mean no time at all or the whole day, and Alertmanager takes neither.",
    fix='Write the minute after the last as `to`; for nearly the whole day, `from: "00:00"` and `to: "23:59"`.',
    bad='monitoring: {peakHours: {timeZone: Europe/Berlin, from: "08:00", to: "08:00"}}',
    good='monitoring: {peakHours: {timeZone: Europe/Berlin, from: "08:00", to: "20:00"}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stretch of hours that is empty, or a whole day."""
    for hours in stretches(fleet):
        if hours.start == hours.end:
            clock = f"{hours.start // 60:02}:{hours.start % 60:02}"
            yield DOC.found(f"These hours begin and end at {clock}", at=fleet.places.value((*hours.path, "to")))
