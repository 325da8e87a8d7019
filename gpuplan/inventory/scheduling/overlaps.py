"""Flavors that select the same nodes: what each of them gives out is there once only.

Kueue counts every flavor by itself, so two flavors of one pool are twice the pool to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.inventory.cards.nodes import Nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import Balance, balances, behind
from gpuplan.inventory.scheduling.queues import Quota
from gpuplan.quantity import Quantity


@dataclass(frozen=True, eq=False, kw_only=True)
class Overlap:
    """One resource of several flavors that have nodes in common."""

    flavors: tuple[str, ...]
    resource: str
    parts: tuple[tuple[Quota, Quantity], ...]
    there: Quantity
    """What all their nodes can give, each counted once."""


def overlaps(inventory: Inventory) -> Iterator[Overlap]:
    """Yield every resource that several flavors give out of common nodes, where each node is known."""
    by_resource: dict[str, list[Balance]] = {}
    for balance in balances(inventory):
        if balance.offer.listed and balance.resource in balance.offer.total:
            by_resource.setdefault(balance.resource, []).append(balance)
    for resource, found in by_resource.items():
        for members, nodes in _joined(inventory, found):
            if len(members) > 1:
                yield Overlap(
                    flavors=tuple(one.given.flavor.name for one in members),
                    resource=resource,
                    parts=tuple((quota, amount) for one in members for _, quota, amount in one.given.parts),
                    there=sum((one.offer(resource) for one in nodes), Quantity(0)),
                )


def _joined(inventory: Inventory, found: list[Balance]) -> list[tuple[list[Balance], set[Nodes]]]:
    """Return the balances in groups whose flavors have nodes in common, each with all its nodes."""
    groups: list[tuple[list[Balance], set[Nodes]]] = []
    for balance in found:
        members, nodes = [balance], set(behind(inventory, balance.given.flavor))
        apart = []
        for group in groups:
            if nodes.isdisjoint(group[1]):
                apart.append(group)
            else:
                members, nodes = [*group[0], *members], nodes | group[1]
        groups = [*apart, (members, nodes)]
    return groups
