"""The stretch of time that a bill is for: half open, cut at midnights of a time zone, so that each query is short."""

from __future__ import annotations

import datetime
import zoneinfo
from dataclasses import dataclass

from gpuplan.suggest import meant

EXAMPLES = "Write a day (2026-11-01) or a time (2026-11-01T08:30)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `start` to before `end`; both know their time zone."""

    start: datetime.datetime
    end: datetime.datetime

    @property
    def milliseconds(self) -> int:
        """Length. A day on which clocks change has 23 or 25 hours."""
        return (_utc(self.end) - _utc(self.start)) // datetime.timedelta(milliseconds=1)

    @property
    def minutes(self) -> int:
        """Whole minutes in it: so many samples there are where none is missing."""
        return self.milliseconds // 60_000

    @property
    def last(self) -> datetime.datetime:
        """The last millisecond in it, at which a query looks back."""
        return _utc(self.end) - datetime.timedelta(milliseconds=1)


def _utc(time: datetime.datetime) -> datetime.datetime:
    """Return a time for comparing and subtracting: of two times of one zone Python would take what the clock shows."""
    return time.astimezone(datetime.UTC)


def time_zone(name: str) -> zoneinfo.ZoneInfo | str:
    """Return a time zone, or why there is none."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        known = zoneinfo.available_timezones()
        hint = meant(name, known, "Write a name of the IANA list, such as Europe/Berlin.")
        return f"{name!r} is no time zone that this machine knows. {hint}"


def moment(text: str, zone: zoneinfo.ZoneInfo) -> datetime.datetime | str:
    """Read a day (its first minute) or a time; a time with an offset of its own keeps it. Else return why it is none.

    Of an hour that comes twice when clocks go back the first is meant, unless an offset says otherwise.
    """
    try:
        made = datetime.datetime.fromisoformat(text)
    except ValueError:
        return f"{text!r} is neither a day nor a time. {EXAMPLES}"
    local = made.replace(tzinfo=zone) if made.tzinfo is None else made
    if local.microsecond or local.second:
        return f"{text!r} is not a whole minute, and samples are taken once a minute. {EXAMPLES}"
    if not datetime.datetime(1971, 1, 1, tzinfo=datetime.UTC) <= local:
        return f"{text!r} is before any Prometheus. {EXAMPLES}"
    return local.astimezone(zone)


def span(start: datetime.datetime, end: datetime.datetime, now: datetime.datetime) -> Span | str:
    """Join two times into a stretch that is over, or return why they make none."""
    if _utc(end) <= _utc(start):
        same = "The day of --to is not part of the bill: for one day, write the next one."
        return f"--to ({end.isoformat()}) is not after --from ({start.isoformat()}). {same}"
    if end > now:
        return (
            f"--to ({end.isoformat()}) is in the future: it is {now.astimezone(end.tzinfo).isoformat(timespec='minutes')}."
            " What has not happened has no bill."
        )
    return Span(start=start, end=end)


def days(whole: Span) -> tuple[Span, ...]:
    """Cut a stretch at the midnights of its time zone.

    >>> berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    >>> whole = Span(start=datetime.datetime(2026, 3, 28, tzinfo=berlin), end=datetime.datetime(2026, 3, 30, 12, tzinfo=berlin))
    >>> [day.minutes for day in days(whole)]
    [1440, 1380, 720]
    """
    made: list[Span] = []
    start = whole.start
    while _utc(start) < _utc(whole.end):
        end = min(_midnight_after(start), whole.end, key=_utc)
        made.append(Span(start=start, end=end))
        start = end
    return tuple(made)


def _midnight_after(time: datetime.datetime) -> datetime.datetime:
    """Return the next first minute of a day; where clocks or the calendar leave it out, the one that came instead."""
    midnight = datetime.datetime.combine(time.date() + datetime.timedelta(days=1), datetime.time(), tzinfo=time.tzinfo)
    return _utc(midnight).astimezone(time.tzinfo)
