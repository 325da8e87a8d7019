"""What runs now, counted from a snapshot that a person took (`plan --live FILE`): nodes, and the work in each queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNodes:
    """Nodes of a pool as the cluster lists them."""

    present: int
    """Nodes that carry the pool's labels."""
    schedulable: int
    """Of these, those that are ready and not cordoned."""
    allocatable: Mapping[str, int] = field(default_factory=dict)
    """Pieces of each resource that the schedulable ones offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveQueue:
    """Work in a ClusterQueue."""

    admitted: int = 0
    """Workloads that hold quota."""
    pending: int = 0
    usage: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Pieces in use by (flavor, resource)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCluster:
    """What a cluster's snapshot tells; what it does not hold is unknown, not zero."""

    pools: Mapping[str, LiveNodes] | None = None
    """By pool; None where the snapshot lists no nodes."""
    queues: Mapping[str, LiveQueue] | None = None
    """By ClusterQueue; None where it lists neither queues nor workloads."""


Live = Mapping[str, LiveCluster]
"""By cluster."""

NOBODY_LOOKED: Final[Live] = {}
