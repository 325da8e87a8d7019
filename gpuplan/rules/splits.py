"""The pools that HAMi shares, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, SharingMode


def hami_pools(fleet: Fleet) -> Iterator[tuple[Cluster, NodePool]]:
    """Yield every pool whose cards HAMi shares, with its cluster."""
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            if pool.sharing.mode is SharingMode.HAMI:
                yield cluster, pool


def hami_path(pool: NodePool) -> KeyPath:
    """Return where a pool says that HAMi shares its cards."""
    return (*pool.path, "sharing", "hami")


def split(pool: NodePool) -> int:
    """Return how many pods may share a card of the pool."""
    return pool.sharing.pieces[0].per_card
