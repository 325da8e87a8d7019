"""Time zones as rules that can be computed with (data/timezones.yaml): offsets from UTC, and when summer time holds.

A rule is the last line of a zone's file in the IANA database, in POSIX' notation (`CET-1CEST,M3.5.0,M10.5.0/3`): the
offset in winter with its sign turned round, the one in summer, and the two switches as month, week and weekday.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table

_NAME = r"(?:<[+\-0-9A-Za-z]+>|[A-Za-z]+)"
_TIME = r"[+-]?\d+(?::\d+){0,2}"
_SWITCH = rf"M(\d+)\.(\d)\.(\d)(?:/({_TIME}))?"
_RULE = re.compile(rf"{_NAME}({_TIME})(?:{_NAME}({_TIME})?,{_SWITCH},{_SWITCH})?")
_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A moment of every year at which the clocks change."""

    month: int
    week: int
    """1 to 4, or 5 for the last."""
    day: int
    """Day of the week, 0 is Sunday."""
    seconds: int
    """Time of that day by the clock before the switch; below 0 and beyond 24 hours are other days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summer:
    """Summer time: by how many seconds the clocks are ahead of standard time (Dublin: behind), and from when to when."""

    ahead: int
    start: Switch
    end: Switch


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeZone:
    """A time zone. `offset` is its standard time in seconds east of UTC."""

    name: str
    offset: int
    summer: Summer | None
    regular: bool
    """Whether the rule says all there is; otherwise its switches follow a calendar that no rule can tell."""
    source: str
    checked: dt.date


def read() -> Mapping[str, TimeZone]:
    """Read every zone, by its name in the IANA database."""
    rows = Table("timezones.yaml").rows("rules")
    return MappingProxyType({zone.name: zone for row in rows for zone in _zones(row)})


def _zones(row: Row) -> tuple[TimeZone, ...]:
    offset, summer = parse(row.text("rule"))
    regular, provenance = row.flag("regular", default=True), row.provenance
    return tuple(
        TimeZone(
            name=name,
            offset=offset,
            summer=summer,
            regular=regular,
            source=provenance.source,
            checked=provenance.checked,
        )
        for name in row.text("zones").split()
    )


def parse(rule: str) -> tuple[int, Summer | None]:
    """Return the offset and the summer time of a POSIX rule. One without M.w.d switches raises: it is a fault of our data."""
    found = _RULE.fullmatch(rule)
    if not found:
        raise ValueError(f"{rule!r} is no rule of month, week and weekday")
    west, summer_west, *switches = found.groups()
    offset = -_seconds(west)
    if switches[0] is None:
        return offset, None
    ahead = -_seconds(summer_west) - offset if summer_west else _HOUR
    return offset, Summer(ahead=ahead, start=_switch(*switches[:4]), end=_switch(*switches[4:]))


def _switch(month: str, week: str, day: str, time: str | None) -> Switch:
    return Switch(month=int(month), week=int(week), day=int(day), seconds=_seconds(time or "2"))


def _seconds(time: str) -> int:
    hours, *rest = (abs(int(part)) for part in time.split(":"))
    minutes, seconds = (*rest, 0, 0)[:2]
    total = hours * _HOUR + minutes * 60 + seconds
    return -total if time.startswith("-") else total
