"""What drills need on a cluster. Reading objects shows no Secret; writing is on nodes and on evictions alone."""

from __future__ import annotations

from gpuplan.cluster.rights import Right, rights

_LOOKING = (
    *rights("get list", "", "nodes", "the pool's nodes and the notes on them"),
    *rights("list", "", "pods", "what is on a node, and where it goes"),
    *rights("list", "policy", "poddisruptionbudgets", "whether a node can be drained"),
)
PLANNING: tuple[Right, ...] = tuple(right for right in _LOOKING if right.verb == "list")
"""A drill without --yes."""
MAINTENANCE: tuple[Right, ...] = (
    *_LOOKING,
    *rights("patch", "", "nodes", "the note, the cordon, and taking them back"),
    *rights("create", "", "pods/eviction", "draining, as disruption budgets allow"),
)
FAULT: tuple[Right, ...] = (
    *MAINTENANCE,
    *rights("patch", "", "nodes/status", "the condition that makes a node look broken, and taking it back"),
)
CLEAN_UP: tuple[Right, ...] = (
    *rights("list patch", "", "nodes", "the notes of drills, the cordon, and taking them back"),
    *rights("patch", "", "nodes/status", "where a fault drill has left its condition"),
)
RIGHTS: tuple[Right, ...] = FAULT
"""All that any of the commands uses."""
