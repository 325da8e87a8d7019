"""Flavors: the node pools of one cluster that Kueue takes for one kind of hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.catalog.cards import Card
from gpuplan.model.pools import (
    CardTier,
    NodePool,
    SelectedBy,
    Toleration,
    node_labels,
    produced_resources,
    tolerations,
)
from gpuplan.model.sharing import Sharing, Unit
from gpuplan.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A Kueue ResourceFlavor: the pools of one cluster with one tier, card, sharing and revision."""

    name: str
    topology: str
    """Name of the Topology that holds its levels."""
    tier: CardTier
    card: Card
    sharing: Sharing
    revision: int
    pools: tuple[NodePool, ...]
    node_labels: tuple[tuple[str, str], ...]
    """Labels that all its pools share, sorted: the flavor's nodeLabels."""
    tolerations: tuple[Toleration, ...]
    capacity: Mapping[str, int]
    """Pieces of each resource that all its nodes offer together."""
    units: Mapping[str, Unit]
    """The unit of each resource it produces."""
    companions: Mapping[str, Quantity]
    """What all its nodes offer together besides cards."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Topology levels; empty where the tier has none."""
        return self.tier.levels

    @property
    def counted(self) -> bool:
        """Whether the spec says of each of its pools how many nodes it has, so that its capacity is all that there is."""
        return all(pool.counted for pool in self.pools)

    @property
    def cards(self) -> int:
        """Physical cards behind the flavor."""
        return sum(pool.nodes * pool.cards_per_node for pool in self.pools)


def flavor(pools: tuple[NodePool, ...], *, alone: bool) -> Flavor:
    """Join pools that are equal in tier, card, sharing and revision into their flavor. At least one pool.

    `alone` says that no other flavor of the cluster has this tier, card and sharing, so that those labels of ours tell its
    nodes. The pool's name then stays out: a flavor with a Topology can never change its labels, and one more pool or one
    less must not need a new flavor.
    """
    first = pools[0]
    shared = set(node_labels(first).items()).intersection(*(node_labels(pool).items() for pool in pools[1:]))
    if alone and all(pool.selection.by is not SelectedBy.LABELS for pool in pools):
        shared -= {(conventions.LABEL_POOL, first.name)}
    capacity: dict[str, int] = {}
    units: dict[str, Unit] = {}
    companions: dict[str, Quantity] = {}
    for pool in pools:
        for made in produced_resources(pool):
            capacity[made.resource] = capacity.get(made.resource, 0) + made.per_node * pool.nodes
            units[made.resource] = made.unit
        for resource, per_node in pool.companions.items():
            companions[resource] = companions.get(resource, Quantity(0)) + per_node * pool.nodes
    return Flavor(
        name=conventions.flavor_name(first.tier.name, first.card.name, first.sharing.label, first.revision),
        topology=conventions.topology_name(first.tier.name, first.revision),
        tier=first.tier,
        card=first.card,
        sharing=first.sharing,
        revision=first.revision,
        pools=pools,
        node_labels=tuple(sorted(shared)),
        tolerations=tolerations(pools),
        capacity=dict(sorted(capacity.items())),
        units=dict(sorted(units.items())),
        companions=dict(sorted(companions.items())),
    )
