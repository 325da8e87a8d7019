"""Pools that are shared or cut, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rules.walk import pools


def shared_by(fleet: Fleet, mode: SharingMode) -> Iterator[tuple[Cluster, NodePool]]:
    """Yield every pool of a mode, with its cluster."""
    return ((cluster, pool) for cluster, pool in pools(fleet) if pool.sharing.mode is mode)


def sharing_path(pool: NodePool) -> KeyPath:
    """Return where a pool that is not exclusive says how it is shared or cut."""
    return (*pool.path, "sharing", pool.sharing.mode.value)


def replicas_path(pool: NodePool) -> KeyPath:
    """Return where a shared pool says how many shares a card has."""
    return (*sharing_path(pool), "replicas")
