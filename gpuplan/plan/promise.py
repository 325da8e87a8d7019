"""What a floor is worth: cards at any moment, whole nodes in the worst case, and how long its cards take to come back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What one floor promises on one side. All zero where there is none."""

    pieces: int = 0
    """Guaranteed pieces of the resource."""
    cards: int = 0
    """The cards that these are, rounded down."""
    pod: int = 0
    """Pieces of the largest pod that its task pool must be able to start."""
    pods: int = 0
    """Pods of that size that are sure of room, if all pods of others that are as large keep to their largest size."""
    whole_nodes: int = 0
    """Whole nodes of the flavor's largest kind that stay free for it however others place what they hold by right."""
    whole_nodes_if_tidy: int = 0
    """The same if all pods of other task pools that are as large as this one's keep to their largest size."""
    lent: int = 0
    """Pieces that somebody else may be using."""
    exposed: int = 0
    """Of these, pieces that only come back when the work on them ends: guaranteed work that borrows from a queued floor."""
    returns_seconds: int = 0
    """Longest grace of those who may have to give the rest back; 0 where nobody may have borrowed any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A queue's floor in one flavor and resource of a cluster, before and after."""

    cluster: str
    queue: str
    team: str
    task_pool: str
    service: str
    flavor: str
    resource: str
    old: Worth
    new: Worth
