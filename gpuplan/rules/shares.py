"""Shared pools, as rules look at them."""

from __future__ import annotations

from gpuplan.diagnostics import KeyPath
from gpuplan.model.pools import NodePool


def shares_path(pool: NodePool) -> KeyPath:
    """Return where a shared pool says how it is shared."""
    return (*pool.path, "sharing", pool.sharing.mode.value)


def replicas_path(pool: NodePool) -> KeyPath:
    """Return where a shared pool says how many shares a card has."""
    return (*shares_path(pool), "replicas")
