"""When Argo CD may bring changes to a cluster: what the rules about maintenance compute from its windows.

Times are minutes from the beginning of `fleet.today` in UTC. Argo CD moves every schedule by the offset that its time zone
has now, and so do we: by the one of that day.
"""

from __future__ import annotations

import datetime
import math
import zoneinfo
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from gpuplan.model.cron import DAY_MINUTES, Cron, Unreadable, parse, seconds
from gpuplan.model.fleet import Fleet, Window
from gpuplan.suggest import nearest

HORIZON_DAYS = 366
"""A year: beyond it, windows repeat."""


class Span(NamedTuple):
    """A stretch of time, from its first minute to the one after its last."""

    start: int
    end: int


class Clock(NamedTuple):
    """A window that can be read: when it opens, and for how many minutes, a year at most."""

    cron: Cron
    minutes: int


def clock(window: Window, today: datetime.date) -> Clock | None:
    """Return what a window says, or None where another rule has already said that it cannot be read or never opens."""
    cron, duration = parse(window.schedule), seconds(window.duration)
    if isinstance(cron, Unreadable) or isinstance(duration, Unreadable) or not cron.fires(today):
        return None
    return Clock(cron, min(math.ceil(duration / Fraction(60)), HORIZON_DAYS * DAY_MINUTES))


def zone(name: str) -> zoneinfo.ZoneInfo | None:
    """Return a time zone; None where there is none of that name."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


def readable(fleet: Fleet, windows: Iterable[Window]) -> bool:
    """Tell whether all of the windows can be read; what they make together is unknown otherwise."""
    return all(clock(one, fleet.today) and zone(one.time_zone) for one in windows)


def closed(fleet: Fleet, windows: Iterable[Window]) -> list[Span]:
    """Return when nothing may be synced in the year from today, for windows that can be read."""
    windows = tuple(windows)
    end = HORIZON_DAYS * DAY_MINUTES
    allowed = _merged(span for one in windows if one.allows for span in _spans(fleet, one))
    denied = _merged(span for one in windows if not one.allows for span in _spans(fleet, one))
    gaps = list(_gaps(allowed, end)) if any(one.allows for one in windows) else []
    cut = (Span(max(span.start, 0), min(span.end, end)) for span in (*gaps, *denied))
    return _merged(span for span in cut if span.start < span.end)


def never_closes(fleet: Fleet, window: Window) -> bool:
    """Tell whether a window that can be read opens again each time before it has closed."""
    made = clock(window, fleet.today)
    return made is not None and len(_in_a_day(made)) == 1 and not closed(fleet, [window])


def _in_a_day(made: Clock) -> list[Span]:
    """Return when a window is open that opened on one day."""
    return _merged(Span(minute, minute + made.minutes) for minute in made.cron.times)


def _spans(fleet: Fleet, window: Window) -> Iterator[Span]:
    """Yield when a window is open, those before today that last into it among them."""
    made, place = clock(window, fleet.today), zone(window.time_zone)
    if made is None or place is None:
        return
    noon = datetime.datetime.combine(fleet.today, datetime.time(12), tzinfo=place)
    offset = round((noon.utcoffset() or datetime.timedelta()).total_seconds() / 60)
    before = made.minutes // DAY_MINUTES + 2
    day_spans = _in_a_day(made)
    first = fleet.today - datetime.timedelta(days=before)
    for ahead in made.cron.days_from(first, before + HORIZON_DAYS + 1):
        shift = (ahead - before) * DAY_MINUTES - offset
        yield from (Span(start + shift, end + shift) for start, end in day_spans)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that touch, in the order of time."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _gaps(spans: Iterable[Span], end: int) -> Iterator[Span]:
    """Yield what lies between merged spans, from 0 to `end`."""
    at = 0
    for span in spans:
        yield Span(at, span.start)
        at = max(at, span.end)
    yield Span(at, end)


def lasting(minutes: int) -> str:
    """Return a length of time in words: `6 d 20 h`, `45 min`."""
    parts = ((minutes // DAY_MINUTES, "d"), (minutes % DAY_MINUTES // 60, "h"), (minutes % 60, "min"))
    said = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(said[:2]) or "0 min"


def clusters_by_windows(fleet: Fleet) -> list[tuple[tuple[Window, ...], list[str]]]:
    """Return each set of windows that holds for some clusters, with the names of those clusters."""
    found: dict[tuple[int, ...], list[str]] = {}
    every = fleet.governance.windows
    for cluster in fleet.clusters:
        own = tuple(index for index, window in enumerate(every) if cluster.name in window.clusters)
        if own:
            found.setdefault(own, []).append(cluster.name)
    return [(tuple(every[index] for index in own), names) for own, names in found.items()]


def hard(windows: Iterable[Window]) -> tuple[Window, ...]:
    """Return those of a cluster's windows that keep off syncs by hand, too.

    While no allow window is open, one of them without `manualSync` is enough.
    """
    windows = tuple(windows)
    strict = any(window.allows and not window.manual_sync for window in windows)
    return tuple(window for window in windows if (strict if window.allows else not window.manual_sync))


def nearest_zone(name: str) -> str | None:
    """Return the time zone whose name is nearest to one that does not exist."""
    return nearest(name, sorted(zoneinfo.available_timezones()))
