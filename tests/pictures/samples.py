"""Time series of one day, a value a minute, and their text in the OpenMetrics format."""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Iterator, Mapping

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
"""One value for each minute of the day; NaN where there is none."""

Moments = npt.NDArray[np.bool_]
"""Whether something is so, for each minute of the day."""

MINUTES = 24 * 60
NOW = np.arange(MINUTES)
"""The minute, for each minute of the day."""
START = int(dt.datetime(2026, 11, 24, tzinfo=dt.UTC).timestamp())
"""A Tuesday. Prometheus keeps it and the days around it in one block of 54 hours, so that it is written in one go."""
END = START + 60 * MINUTES
WEEK = 7 * 24 * 3600


SLOW_PREFIXES = ("kube_", "argocd_")
"""What changes rarely has a sample every four minutes, everything else every two: Prometheus looks back for five."""


class Samples:
    """Series by name and labels, of the metrics that somebody asks for; others are forgotten."""

    def __init__(self, wanted: Container[str]) -> None:
        self._wanted = wanted
        self._series: dict[str, dict[tuple[tuple[str, str], ...], Values]] = {}

    def add(self, name: str, labels: Mapping[str, str], values: Values | float) -> None:
        """Add a series; a single number is its value all day. A series that is there already is filled where it has no value."""
        if name not in self._wanted:
            return
        made = np.full(MINUTES, float(values)) if isinstance(values, (int, float)) else values
        kept = tuple(sorted((key, value) for key, value in labels.items() if value))
        before = self._series.setdefault(name, {}).get(kept)
        self._series[name][kept] = made if before is None else np.where(np.isnan(before), made, before)

    def lines(self, offset: int = 0) -> Iterator[str]:
        """Yield the lines of an OpenMetrics file; `offset` is added to all times, in seconds."""
        times = np.arange(START + offset, START + offset + 60 * MINUTES, 60)
        for name, series in sorted(self._series.items()):
            every = 4 if name.startswith(SLOW_PREFIXES) else 2
            for labels, values in sorted(series.items(), key=lambda item: item[0]):
                inside = ",".join(f'{key}="{value}"' for key, value in labels)
                there = np.flatnonzero(~np.isnan(values))
                there = there[(there - there[:1]) % every == 0]
                numbers = zip(values[there].tolist(), times[there].tolist(), strict=True)
                yield "".join(f"{name}{{{inside}}} {number:.6g} {time}\n" for number, time in numbers)
        yield "# EOF\n"

    def __len__(self) -> int:
        return sum(map(len, self._series.values()))


def between(start: int, end: int, values: Values | float = 1.0) -> Values:
    """Return values from one minute of the day to another, and none outside."""
    made = np.full(MINUTES, np.nan)
    first, last = max(start, 0), max(min(end, MINUTES), 0)
    made[first:last] = values if isinstance(values, (int, float)) else values[first:last]
    return made


def during(start: int, end: int) -> Moments:
    """Tell the minutes from one to another."""
    moments: Moments = (start <= NOW) & (end > NOW)
    return moments


def counter(increments: Values) -> Values:
    """Return a counter that grows by as much each minute."""
    return np.cumsum(np.nan_to_num(increments))


def histogram(
    samples: Samples, name: str, labels: Mapping[str, str], bounds: tuple[str, ...], counts: Mapping[str, Values]
) -> None:
    """Add a classic histogram. `counts` has the observations that fell into each bucket, by its bound; +Inf included."""
    total = np.zeros(MINUTES)
    for bound in (*bounds, "+Inf"):
        total = total + counts.get(bound, 0.0)
        samples.add(f"{name}_bucket", {**labels, "le": bound}, counter(total))
    samples.add(f"{name}_count", labels, counter(total))


def observed(bounds: tuple[str, ...], seen: list[tuple[int, float]]) -> dict[str, Values]:
    """Sort observations, each a minute and a value, into buckets."""
    counts: dict[str, Values] = {}
    for minute, value in seen:
        bound = next((one for one in bounds if value <= float(one)), "+Inf")
        counts.setdefault(bound, np.zeros(MINUTES))[min(max(minute, 0), MINUTES - 1)] += 1
    return counts
