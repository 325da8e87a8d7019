"""Shares of a fleet for several runs that know nothing of each other: `--shard 2/8`.

Each cluster goes to the shard that its name prefers, of those that are not full: so shards are balanced, and a new cluster moves
few others. What clusters share goes to the first shard, whose load it is counted as.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from gpuplan.model.fleet import Cluster
from gpuplan.pipeline.weights import weight

FULL = 1.15
"""How much of an even share a shard takes before a cluster has to go to another one."""
OF_SHARED = 0.3
"""What the part that clusters share costs against all clusters: each has to be compiled for its footprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One of several shares; `number` counts from 1."""

    number: int
    count: int

    @property
    def has_shared(self) -> bool:
        """Whether what clusters share is in it."""
        return self.number == 1


def members(clusters: Sequence[Cluster], shard: Shard) -> tuple[Cluster, ...]:
    """Return the clusters of a shard, in the order of the fleet. Of the shards of a count, exactly one has a cluster."""
    at = _assigned(clusters, shard.count)
    return tuple(cluster for cluster in clusters if at[cluster.name] == shard.number)


def _assigned(clusters: Sequence[Cluster], count: int) -> dict[str, int]:
    """Return the number of each cluster's shard."""
    total = sum(map(weight, clusters))
    loads = dict.fromkeys(range(1, count + 1), 0.0)
    loads[1] = OF_SHARED * total
    most = FULL * (1 + OF_SHARED) * total / count
    found: dict[str, int] = {}
    for cluster in sorted(clusters, key=lambda one: _rank(one.name)):
        wanted = sorted(loads, key=lambda number: _rank(f"{cluster.name} {number}"))
        own = weight(cluster)
        chosen = next(
            (number for number in wanted if loads[number] + own <= most), min(loads, key=lambda n: (loads[n], n))
        )
        loads[chosen] += own
        found[cluster.name] = chosen
    return found


def _rank(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
