"""Which node belongs to which pool: a person says so by name, or the spec does by the nodes' names or labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.labelling import note
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, SelectedBy, Selection

_BY_CARD: Final = "NFD finds its nodes by their cards, which the API does not show; name them with --nodes"
_BY_PROVISIONER: Final = "{} labels its nodes when it makes them; to do it by hand, name them with --nodes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a node belongs: a pool or none; `problem` says why that cannot be told."""

    pool: NodePool | None = None
    given: bool = False
    """Whether a person named the node."""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says of nodes by name: they go to a pool, or leave theirs."""

    nodes: frozenset[str] = frozenset()
    pool: str = ""
    """Empty where they leave."""


def place_of(node: Mapping[str, Any], cluster: Cluster, asked: Asked) -> Place:
    """Return where a node belongs. What is said now goes before what was said before, and that before the spec."""
    name = node["metadata"]["name"]
    pools = {pool.name: pool for pool in cluster.pools}
    noted = note.read(node)
    if noted and noted.cluster != cluster.name:
        return Place(
            problem=f"it was labelled as a node of cluster {noted.cluster}: is this the right kubeconfig and context"
        )
    found = [pool for pool in cluster.pools if _matches(pool.selection, node)]
    if name in asked.nodes and not asked.pool and found:
        return Place(problem=f"the spec puts it into {found[0].name}, so that the next run would bring it back")
    if name in asked.nodes:
        return Place(pool=pools.get(asked.pool), given=bool(asked.pool))
    if noted and noted.given and noted.pool in pools:
        return Place(pool=pools[noted.pool], given=True)
    if len(found) > 1:
        names = " and ".join(pool.name for pool in found)
        return Place(problem=f"the spec puts it into {names}: narrow one of them, or give it to one with --nodes")
    return Place(pool=found[0] if found else None)


def _matches(selection: Selection, node: Mapping[str, Any]) -> bool:
    """Tell whether the spec puts a node into a pool by its name or by labels of others: ours follow from where it belongs."""
    if selection.by is SelectedBy.LABELS:
        ours = note.owned_labels(node)
        others = {key: value for key, value in (node["metadata"].get("labels") or {}).items() if key not in ours}
        return dict(selection.labels).items() <= others.items()
    return any(re.fullmatch(pattern, node["metadata"]["name"]) for pattern in selection.node_names)


def unmatched(cluster: Cluster) -> Iterator[tuple[NodePool, str]]:
    """Yield the pools whose nodes the spec does not name, and why."""
    for pool in cluster.pools:
        if pool.selection.by is SelectedBy.PROVISIONER:
            yield pool, _BY_PROVISIONER.format(pool.selection.provisioner)
        elif pool.selection.by is SelectedBy.NFD and not pool.selection.node_names:
            yield pool, _BY_CARD
