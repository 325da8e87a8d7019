"""Which resources containers ask for and quotas give out, as rules on exposure look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.catalog.cards import Card
from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Span
from gpuplan.inventory.cards.exposure import VENDOR
from gpuplan.inventory.cards.labelled import card_of_product
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.scheduling.queues import flavors, holders
from gpuplan.inventory.scheduling.workloads import PodSet, workloads
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One resource of one container, or of one flavor in a quota."""

    resource: str
    amount: Quantity
    who: str
    """The workload or the queue: Pod `train`."""
    view: View
    """Where it is asked for: its entry, or the name of the resource. Its place costs more than all else, so it waits."""
    card: Card | None
    """The card of the nodes that it goes to, where a label tells, or the assumed one."""
    is_entry: bool

    @property
    def container(self) -> object:
        """What tells its container from all others."""
        return id(self.view.item), self.view.path[:-3]

    @property
    def at(self) -> Span:
        """Where its name stands."""
        return self.view.key_span if self.is_entry else self.view.span


def asked(inventory: Inventory) -> Iterator[Asked]:
    """Yield what containers ask for, then what quotas give out."""
    yield from by_containers(inventory)
    yield from by_quotas(inventory)


@once
def by_containers(inventory: Inventory) -> tuple[Asked, ...]:
    """Return each of NVIDIA's devices of each container, at its request, or at the limit that stands in for it."""
    return tuple(_by_containers(inventory))


def _by_containers(inventory: Inventory) -> Iterator[Asked]:
    for workload in workloads(inventory):
        for pod_set in workload.pod_sets:
            card = _card(inventory, pod_set.node_selector.get(LABEL_PRODUCT, ""))
            for resource, view in _resources(pod_set):
                amount = view.quantity()
                if amount is not None:
                    who = str(workload)
                    yield Asked(resource=resource, amount=amount, who=who, view=view, card=card, is_entry=True)


def by_quotas(inventory: Inventory) -> Iterator[Asked]:
    """Yield each resource of each queue and cohort once, at its first quota."""
    known = flavors(inventory)
    for holder in holders(inventory):
        seen = set()
        for quota in holder.quotas():
            flavor = known.get(quota.flavor)
            label = flavor.node_labels.get(LABEL_PRODUCT, "") if flavor else ""
            if quota.resource in seen or quota.nominal is None:
                continue
            seen.add(quota.resource)
            yield Asked(
                resource=quota.resource,
                amount=quota.nominal,
                who=str(holder),
                view=quota.view["name"],
                card=_card(inventory, label),
                is_entry=False,
            )


def listed_by_nodes(inventory: Inventory) -> frozenset[str]:
    """Return the resources of which some node has any."""
    return frozenset(name for one in nodes(inventory) for name, amount in one.offers.items() if amount.nanos > 0)


def _resources(pods: PodSet) -> Iterator[tuple[str, View]]:
    for container in pods.containers:
        resources = container["resources"]
        found = {**dict(resources["limits"].entries()), **dict(resources["requests"].entries())}
        yield from ((name, view) for name, view in found.items() if name.startswith(VENDOR))


def _card(inventory: Inventory, product: str) -> Card | None:
    return card_of_product(product, inventory) if product else inventory.assumed.card
