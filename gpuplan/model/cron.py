"""Cron schedules and durations as Argo CD reads them, which is not how every cron reads them.

Argo CD parses the schedule of a sync window with robfig/cron v3, five fields, without descriptors such as `@daily`, and
its duration with Go's `time.ParseDuration`. Sunday is 0 and never 7; `N/STEP` runs to the end of the field; there are no
`L`, `W` and `#`. Python's libraries take more and less than that, and what we accept must open the same windows there.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

DAY_MINUTES = 24 * 60
LEAP_CYCLE_DAYS = 8 * 366
"""Days that hold every date of the calendar: eight years pass without a 29 February around 1900 and 2100."""


class Unreadable(NamedTuple):
    """Why a text is no schedule, or no duration."""

    reason: str


class Field(NamedTuple):
    """One field of a schedule: its name, its bounds, and the words for its numbers."""

    name: str
    least: int
    most: int
    words: Mapping[str, int] = {}


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of month", 1, 31),
    Field("month", 1, 12, {word: number for number, word in enumerate(_MONTHS, start=1)}),
    Field("day of week", 0, 6, {word: number for number, word in enumerate(_WEEKDAYS)}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """A schedule, minute by minute. Days are told by both day fields: by either, unless one of them is `*`."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """0 is Sunday."""
    both_days: bool
    """Whether a day must match both day fields, since one of them is `*`."""

    def on(self, day: datetime.date) -> bool:
        """Tell whether it fires on a day, if it fires at any time of day."""
        by_month, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        matches = by_month and by_week if self.both_days else by_month or by_week
        return day.month in self.months and matches

    @property
    def times(self) -> tuple[int, ...]:
        """Return the minutes of a day at which it fires, rising."""
        return tuple(sorted(hour * 60 + minute for hour in self.hours for minute in self.minutes))

    def days_from(self, first: datetime.date, count: int) -> Iterator[int]:
        """Yield the days on which it fires, as their distance from the first, among `count` days."""
        return (ahead for ahead in range(count) if self.on(first + datetime.timedelta(days=ahead)))

    def fires(self, today: datetime.date) -> bool:
        """Tell whether it will fire at all: 30 February never comes."""
        return bool(self.times) and any(True for _ in self.days_from(today, LEAP_CYCLE_DAYS))


def parse(text: str) -> Cron | Unreadable:
    """Read a schedule, or say why Argo CD would not.

    >>> parse("0 2 * * 6").times
    (120,)
    >>> parse("@daily").reason
    'it has 1 field, not 5'
    """
    parts = text.split()
    if len(parts) != len(FIELDS):
        return Unreadable(f"it has {len(parts)} field{'' if len(parts) == 1 else 's'}, not {len(FIELDS)}")
    read: list[tuple[frozenset[int], bool]] = []
    for part, field in zip(parts, FIELDS, strict=True):
        values = _field(part, field)
        if isinstance(values, Unreadable):
            return values
        read.append(values)
    (minutes, _), (hours, _), (days, any_day), (months, _), (weekdays, any_weekday) = read
    return Cron(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=weekdays,
        both_days=any_day or any_weekday,
    )


def _field(text: str, field: Field) -> tuple[frozenset[int], bool] | Unreadable:
    """Read a list of ranges; the second value tells whether it says `*` without a step. Empty items count for nothing."""
    values: set[int] = set()
    star = False
    for item in filter(None, text.split(",")):
        found = _range(item, field)
        if isinstance(found, Unreadable):
            return found
        values.update(found[0])
        star |= found[1]
    return frozenset(values), star


def _range(text: str, field: Field) -> tuple[range, bool] | Unreadable:
    """Read `*`, `N`, `N-M`, each with or without `/STEP`; `N/STEP` runs to the end of the field."""
    span, *steps = text.split("/")
    low, *highs = span.split("-")
    if len(steps) > 1:
        return _bad(text, field, "has more than one `/`")
    star = low in ("*", "?")
    start = field.least if star else _number(low, field)
    end = field.most if star or (steps and not highs) else _number(highs[0], field) if highs else start
    step = _number(steps[0]) if steps else 1
    if start is None or end is None or step is None:
        return _bad(text, field, "is no number or range" + (", nor a name" if field.words else ""))
    if len(highs) > 1 and not star:
        return _bad(text, field, "has more than one `-`")
    if start < field.least or end > field.most:
        return _bad(text, field, f"is outside {field.least} to {field.most}")
    if start > end:
        return _bad(text, field, "runs backwards")
    if step == 0:
        return _bad(text, field, "has step 0")
    return range(start, end + 1, step), star and step == 1


def _number(text: str, field: Field | None = None) -> int | None:
    """Read a number, or its name where the field has names; None for anything else."""
    if field and text.lower() in field.words:
        return field.words[text.lower()]
    return int(text) if re.fullmatch(r"\+?[0-9]{1,9}", text) else None


def _bad(text: str, field: Field, what: str) -> Unreadable:
    return Unreadable(f"`{text}` in the {field.name} {what}")


_NANOSECONDS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_AMOUNT = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")


def seconds(text: str) -> Fraction | Unreadable:
    """Read a duration as Go does, such as `4h` or `1h30m`, in seconds; one that is not above 0 opens no window.

    >>> seconds("1h30m")
    Fraction(5400, 1)
    >>> seconds("2d").reason
    'Go knows the units h, m and s; write days as hours'
    """
    if not re.fullmatch(rf"\+?(?:{_AMOUNT.pattern})+", text):
        return Unreadable("Go knows the units h, m and s; write days as hours")
    total = sum(Fraction(amount) * _NANOSECONDS[unit] for amount, unit in _AMOUNT.findall(text))
    return Fraction(total) / 1_000_000_000 if total else Unreadable("it is 0, so the window never opens")
