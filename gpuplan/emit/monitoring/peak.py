"""Peak hours, compiled from the spec's time zone into arithmetic on the clock.

PromQL's clock is UTC and knows no zones, so the rule by which a zone changes its clocks (catalogue: time zones) becomes part of
the expression. Both records stay right in every year to come, for as long as the zone keeps its rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Catalog
from gpuplan.catalog.timezones import Summer, Switch
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.series import PEAK_CLOCK, PEAK_HOURS
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import DailyHours

_MINUTE = 60
_DAY_MINUTES = 24 * 60
_WEEK = tuple(range(7))


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the peak hours, where there are teams whose guarantees are measured in them."""
    if cluster.teams:
        hours = fleet.monitoring.peak_hours
        yield Group(
            name="gpuplan-peak",
            records=(record(PEAK_CLOCK, clock(fleet.catalog, hours)), record(PEAK_HOURS, within(hours))),
        )


def clock(catalog: Catalog, hours: DailyHours) -> str:
    """Return the clock of the hours' zone in seconds, put back so that its days begin when the hours do.

    Hours past midnight are then those of the day on which they began.
    """
    zone = catalog.time_zones[hours.time_zone]
    standard = _clock(zone.offset - hours.start * _MINUTE)
    return f"{standard} + {_ahead(zone.offset, zone.summer)}" if zone.summer else standard


def within(hours: DailyHours) -> str:
    """Return 1 within the hours and 0 outside, by the clock that `clock` says."""
    length = (hours.end - hours.start) % _DAY_MINUTES or _DAY_MINUTES
    factors = [f"({_MINUTE} * hour({PEAK_CLOCK}) + minute({PEAK_CLOCK}) < bool {length})", *_days(hours.days)]
    return " * ".join(factors)


def _days(days: tuple[int, ...]) -> Iterator[str]:
    """Yield what must be 1 on one of the days; nothing for all of them."""
    if days == _WEEK:
        return
    if days == tuple(range(days[0], days[-1] + 1)):
        yield f"(day_of_week({PEAK_CLOCK}) >= bool {days[0]})"
        yield f"(day_of_week({PEAK_CLOCK}) <= bool {days[-1]})"
    else:
        yield "(" + " + ".join(f"(day_of_week({PEAK_CLOCK}) == bool {day})" for day in days) + ")"


def _clock(offset: int) -> str:
    """Return the clock that is so many seconds ahead of UTC's."""
    return f"vector(time() {'-' if offset < 0 else '+'} {abs(offset)})"


def _ahead(offset: int, summer: Summer) -> str:
    """Return by how many seconds summer time moves the clock of a zone now: 0, or `summer.ahead`.

    Between the switches of a year it is summer in the north and winter in the south. The two have clocks of their own, which
    do not enter a new year at one moment, so the second one counts January with the year before.
    """
    moments = ((summer.start, offset), (summer.end, offset + summer.ahead))
    (first, before), (second, after) = sorted(moments, key=lambda moment: moment[0].month)
    inside = ">" if first is summer.start else "<="
    began = _reached(first, before, "month({now})", first.month)
    ended = _reached(second, after, "((month({now}) + 10) % 12)", second.month - 2)
    return f"{summer.ahead} * ({began} {inside} bool {ended})"


def _reached(switch: Switch, offset: int, month: str, is_month: int) -> str:
    """Return 1 once a switch has come in this year, by the clock before it, `offset` seconds ahead of UTC.

    On a clock that is put back by the switch's time of day, it comes with the beginning of the day. That day has come when
    the last such weekday so far is in the week that is meant, or later: for the last week of a month, counted from its end.
    Months are hundreds, so that one comparison serves for month and day.
    """
    now = _clock(offset - switch.seconds)
    latest = f"100 * {month.format(now=now)} + day_of_month({now}) - (day_of_week({now}) + {7 - switch.day}) % 7"
    if switch.week == 5:
        return f"({latest} - days_in_month({now}) >= bool {100 * is_month - 6})"
    return f"({latest} >= bool {100 * is_month + 7 * switch.week - 6})"
