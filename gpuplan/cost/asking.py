"""What a bill asks of a Prometheus: sums of minute samples, of one day at a time.

A sum of samples over 60 is honest about gaps, where a mean times 24 would invent cost for time in which nobody looked. The
sum is the server's own, so that a month of a thousand teams is a few hundred short queries. A query looks back from the
last millisecond of a day over the length of the day: Prometheus 3 leaves out the first instant of a range and 2 counts it,
so that a sample on the minute belongs to the day that it begins with both. Only a sample a single millisecond before
midnight would 2.x count twice.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpuplan.cost.period import Span
from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.series import Series

CLUSTER = "cluster"
"""External label that tells clusters apart where one store keeps several; absent in a cluster's own Prometheus."""


class What(enum.Enum):
    """A line of a bill; the value is its key in JSON."""

    CAPACITY = "capacity"
    """All cards that were there."""
    ALLOCATED = "allocated"
    """What pods of a team held."""
    USED = "used"
    """That, times how busy it was."""
    IDLE = "idle"
    """What pods of a team held that did nothing for an hour."""
    RESERVED = "reserved"
    """The team's nominal quotas."""
    BORROWED = "borrowed"
    """What its queues used beyond them."""
    NO_TEAM = "noTeam"
    """What pods in namespaces of no team held."""
    UNALLOCATED = "unallocated"
    """What nobody held."""


Unit = Literal["hours", "money", "samples"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A series that is summed up. `what` is None for those that only say something about the others."""

    what: What | None
    unit: Unit
    series: Series

    def query(self, day: Span, clusters: Iterable[str] = ()) -> str:
        """Return the query for the sum of a day, of some clusters or all. Two replicas of a Prometheus count once."""
        function = "count_over_time" if self.unit == "samples" else "sum_over_time"
        labels = ", ".join((CLUSTER, *self.series.labels))
        return f"max by ({labels}) ({function}({self.series}{selector(clusters)}[{day.milliseconds}ms]))"


def selector(clusters: Iterable[str]) -> str:
    """Return the matcher of some clusters; nothing for all."""
    names = "|".join(re.escape(name).replace("\\", "\\\\").replace('"', '\\"') for name in sorted(clusters))
    return f'{{{CLUSTER}=~"{names}"}}' if names else ""


COST_CENTERS = Measure(what=None, unit="samples", series=series.TEAM)
COVERAGE = Measure(what=None, unit="samples", series=series.POOL_BILLED)
MEASURES = (
    COVERAGE,
    COST_CENTERS,
    Measure(what=What.CAPACITY, unit="money", series=series.POOL_COST),
    Measure(what=What.CAPACITY, unit="hours", series=series.POOL_BILLED),
    Measure(what=What.ALLOCATED, unit="money", series=series.TEAM_COST),
    Measure(what=What.ALLOCATED, unit="hours", series=series.TEAM_BILLED),
    Measure(what=What.USED, unit="money", series=series.TEAM_USED_COST),
    Measure(what=What.USED, unit="hours", series=series.TEAM_USED),
    Measure(what=What.IDLE, unit="money", series=series.TEAM_IDLE_COST),
    Measure(what=What.IDLE, unit="hours", series=series.TEAM_IDLE_BILLED),
    Measure(what=What.RESERVED, unit="money", series=series.TEAM_RESERVED_COST),
    Measure(what=What.RESERVED, unit="hours", series=series.TEAM_RESERVED),
    Measure(what=What.BORROWED, unit="money", series=series.TEAM_BORROWED_COST),
    Measure(what=What.BORROWED, unit="hours", series=series.TEAM_BORROWED),
    Measure(what=What.NO_TEAM, unit="money", series=series.NO_TEAM_COST),
    Measure(what=What.NO_TEAM, unit="hours", series=series.NO_TEAM),
    Measure(what=What.UNALLOCATED, unit="money", series=series.UNALLOCATED_COST),
)
"""All that is asked for each day. What nobody holds is recorded as money alone; its hours are the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The answer to a measure of one day: its labels, and the sum (or number) of its samples."""

    measure: Measure
    labels: Mapping[str, str]
    total: Decimal
