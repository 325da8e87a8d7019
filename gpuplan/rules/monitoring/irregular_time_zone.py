"""Peak hours in a time zone whose clocks follow no rule that can be compiled.

Prometheus computes in UTC and knows no zones. For nearly all zones summer time is a rule of month, week and weekday, which
becomes part of the expression. A few are not: clocks that follow the moon, or a government that has just decided otherwise.

Source: the IANA time zone database, compared with its own rules up to 2036.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/irregular-time-zone",
    severity=Severity.ERROR,
    summary="Peak hours in a time zone without a rule",
    why="Peak hours are compiled into Prometheus' arithmetic, which can only follow clocks that change by a yearly rule.",
    fix="Write a zone with a fixed offset, such as `Etc/GMT-2` for two hours east of UTC.",
    bad='monitoring: {peakHours: {timeZone: Asia/Gaza, from: "08:00", to: "20:00"}}',
    good='monitoring: {peakHours: {timeZone: Etc/GMT-2, from: "08:00", to: "20:00"}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where the zone of the peak hours has no rule; office hours are Alertmanager's, which knows zones."""
    hours = fleet.monitoring.peak_hours
    zone = fleet.catalog.time_zones.get(hours.time_zone)
    if zone and not zone.regular:
        east = zone.offset // 3600
        fixed = f"Etc/GMT{'-' if east >= 0 else '+'}{abs(east)}"
        yield DOC.found(
            f"The clocks of `{zone.name}` change by no yearly rule",
            at=fleet.places.value((*hours.path, "timeZone")),
            fix=f"Write `{fixed}`, its standard time all year, and move `from` and `to` where that matters.",
        )
