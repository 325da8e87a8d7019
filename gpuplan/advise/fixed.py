"""Pools whose stack is no choice between scripts and the GPU Operator: others run them, or their vendor says how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.advise.gather import chooses
from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Span
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rules.walk import point


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What stands for a pool without a choice, why, and who says so."""

    cluster: str
    pool: str
    now: str
    advised: str
    why: str
    source: str
    at: Span
    ask: tuple[str, ...] = ()
    """What to ask of whoever runs its agents."""


def fixed(fleet: Fleet) -> tuple[Fixed, ...]:
    """Return the pools without a choice, in the order of the fleet."""
    return tuple(_fixed(fleet))


def _fixed(fleet: Fleet) -> Iterator[Fixed]:
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            if not chooses(pool):
                yield _external(fleet, cluster, pool) if pool.stack == "external" else _by_vendor(fleet, cluster, pool)


def _external(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Fixed:
    provided = fleet.catalog.provided.get(cluster.distribution)
    return Fixed(
        cluster=cluster.name,
        pool=pool.name,
        now=pool.stack,
        advised="external",
        why="others run its agents; gpuplan governs queues, quotas and alerts, and states what the nodes have to offer",
        source=provided.source if provided else "",
        at=point(fleet, (*pool.path, "stack")),
        ask=provided.ask if provided and pool.card.vendor is Vendor.NVIDIA else (),
    )


def _by_vendor(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Fixed:
    family = fleet.catalog.vendors.of(pool.card)
    if pool.card.vendor is Vendor.AMD:
        advised, why = "operator", "AMD's driver and device plugin come with AMD's own GPU Operator"
    else:
        advised, why = pool.stack, f"{family.plugin.name} brings the agents, whatever the stack is called"
    return Fixed(
        cluster=cluster.name,
        pool=pool.name,
        now=pool.stack,
        advised=advised,
        why=why,
        source=family.source,
        at=point(fleet, (*pool.path, "stack")),
    )
