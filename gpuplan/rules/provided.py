"""What comes with a cluster's distribution, as rules look at it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import ProvidedStack, Vendor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rules.walk import pools


def external(fleet: Fleet) -> Iterator[tuple[Cluster, NodePool, ProvidedStack]]:
    """Yield every pool with NVIDIA cards whose agents others run, where its distribution brings a stack of its own."""
    for cluster, pool in pools(fleet):
        provided = fleet.catalog.provided.get(cluster.distribution)
        if provided is not None and pool.stack == "external" and pool.card.vendor is Vendor.NVIDIA:
            yield cluster, pool, provided


def keeps_plain_names(fleet: Fleet, cluster: Cluster, pool: NodePool) -> bool:
    """Tell whether shares of the pool's cards can have no other name than the whole card's."""
    provided = fleet.catalog.provided.get(cluster.distribution)
    return pool.stack == "external" and provided is not None and not provided.renames
