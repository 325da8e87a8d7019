"""The pools that HAMi shares, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rules.shares import shared_by


def hami_pools(fleet: Fleet) -> Iterator[tuple[Cluster, NodePool]]:
    """Yield every pool whose cards HAMi can share, with its cluster; others' cards are a mistake of their own."""
    return ((one, pool) for one, pool in shared_by(fleet, SharingMode.HAMI) if pool.card.vendor is Vendor.NVIDIA)


def split(pool: NodePool) -> int:
    """Return how many pods may share a card of the pool."""
    return pool.sharing.pieces[0].per_card
