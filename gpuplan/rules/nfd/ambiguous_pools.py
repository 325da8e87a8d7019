"""A pool whose NodeFeatureRule also fits the nodes of another pool.

NFD knows a node by its PCI devices and by its name. Where two pools of a cluster have the same card (or cards with one
PCI id, as A2 and A16), a rule without `nodeNames` fits the nodes of both: they get the labels of both pools, and the
last writer wins.

Source: Node Feature Discovery, features that a NodeFeatureRule can match (PCI devices, system.name).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Card, Catalog
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, SelectedBy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="nfd/ambiguous-pools",
    severity=Severity.ERROR,
    summary="An NFD pool whose rule also fits another pool's nodes",
    why="NFD tells nodes apart by their PCI devices and names only: nodes of both pools would get both pools' labels.",
    fix="Narrow the pool with `nodeNames`, or select it by labels or a provisioner.",
    bad="nodePools:\n  a: {card: l4, selectedBy: {nfd: {}}}\n  b: {card: l4, selectedBy: {labels: {pool: b}}}",
    good="nodePools:\n  a: {card: l4, selectedBy: {nfd: {nodeNames: ['gpu-a-.*']}}}\n"
    "  b: {card: l4, selectedBy: {labels: {pool: b}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each NFD pool without names beside a pool of like cards, and for each name in two pools."""
    for cluster, pool in pools(fleet):
        if pool.selection.by is not SelectedBy.NFD:
            continue
        like = [o for o in cluster.pools if o.name != pool.name and _look_alike(fleet.catalog, pool.card, o.card)]
        if like and not pool.selection.node_names:
            names = listed(other.name for other in like)
            yield DOC.found(
                f"The NFD rule of pool `{pool.name}` also fits the nodes of {names}",
                at=point(fleet, (*pool.path, "selectedBy", "nfd")),
                also=tuple(Related("has the same card", point(fleet, (*other.path, "selectedBy"))) for other in like),
            )
        yield from _same_names(fleet, cluster, pool, like)


def _same_names(fleet: Fleet, cluster: Cluster, pool: NodePool, like: list[NodePool]) -> Iterator[Diagnostic]:
    """Yield a finding for each name of the pool that an earlier pool has as well."""
    before = cluster.pools[: cluster.pools.index(pool)]
    for index, name in enumerate(pool.selection.node_names):
        for other in before:
            if other in like and name in other.selection.node_names:
                yield DOC.found(
                    f"Nodes `{name}` are in pool `{other.name}` and in pool `{pool.name}`",
                    at=fleet.places.value((*pool.path, "selectedBy", "nfd", "nodeNames", index)),
                    also=(Related("the other pool", point(fleet, (*other.path, "selectedBy", "nfd"))),),
                )


def _look_alike(catalog: Catalog, one: Card, other: Card) -> bool:
    """Tell whether NFD takes one card for the other: a PCI id in common, or a card that it knows by its maker only."""
    if catalog.vendors.of(one) is not catalog.vendors.of(other):
        return False
    return not one.pci_ids or bool(set(one.pci_ids) & set(other.pci_ids))
