"""What is done to a cluster's nodes: a change for each node that needs one, and what a reader has to know of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuplan.labelling import note
from gpuplan.labelling.change import Change, change_of
from gpuplan.labelling.membership import Asked, place_of, unmatched
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCount:
    """A pool and its nodes; `why` says why the spec finds none by itself, where it does not."""

    pool: NodePool
    nodes: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    """What is done, node by node, and how the pools stand."""

    changes: tuple[Change, ...]
    """Nodes that are not as they should be, by name."""
    problems: tuple[Change, ...]
    """Nodes that are left alone, and why."""
    pools: tuple[PoolCount, ...]
    outside: int
    """Nodes of no pool, of which there is nothing to take away."""


def label_plan(
    nodes: Iterable[Mapping[str, Any]], cluster: Cluster, asked: Asked, only: Sequence[str] = ()
) -> LabelPlan:
    """Return what is done to the nodes of a cluster; with `only` to those of some pools."""
    counts: Counter[str] = Counter()
    changes: list[Change] = []
    outside = 0
    for node in sorted(nodes, key=lambda one: str(one["metadata"]["name"])):
        place = place_of(node, cluster, asked)
        change = change_of(node, cluster, place)
        noted = note.read(node)
        counts.update([change.pool] if change.pool else [])
        outside += not change.pool and change.empty and not change.problem
        if asked.nodes and change.node not in asked.nodes:
            continue
        if not only or {change.pool, noted.pool if noted else ""} & set(only):
            changes.append(change)
    reasons = {pool.name: why for pool, why in unmatched(cluster)}
    pools = [pool for pool in cluster.pools if not only or pool.name in only]
    return LabelPlan(
        changes=tuple(one for one in changes if not one.problem and not one.empty),
        problems=tuple(one for one in changes if one.problem),
        pools=tuple(PoolCount(pool=pool, nodes=counts[pool.name], why=reasons.get(pool.name, "")) for pool in pools),
        outside=outside,
    )
