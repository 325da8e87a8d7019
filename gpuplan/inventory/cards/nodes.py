"""Nodes, and what makes nodes: how many there are, what each offers, and what keeps pods off.

What a node offers is what it says it can give (`allocatable`, else `capacity`). An OpenShift MachineSet tells it in its
annotations. How many nodes Karpenter or an autoscaler makes is not written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan.conventions import LABEL_CARD_COUNT, RESOURCE_GPU
from gpuplan.inventory.cards.labelled import Labelled, labelled
from gpuplan.inventory.cards.tolerating import Taint, repelling
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity, whole_number

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_MAKERS = ("MachineSet", "MachineDeployment", "NodePool", "Provisioner")
_MOST_CARDS = 64
"""Cards of a node; a count label above it is no count."""
_MACHINE_OFFERS = {
    "machine.openshift.io/vCPU": ("cpu", ""),
    "machine.openshift.io/memoryMb": ("memory", "Mi"),
    "machine.openshift.io/GPU": (RESOURCE_GPU, ""),
}
"""Annotation of a MachineSet -> the resource, and the unit that is left out."""
_AUTOSCALED = ("cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Nodes:
    """A node, or equal nodes that one object makes."""

    source: Labelled
    count: int | None
    """How many; None where something decides that while it runs."""
    offers: Mapping[str, Quantity]
    """What each can give, by resource; empty where nobody says."""
    schedulable: bool
    """Whether pods may go there at the moment: neither cordoned nor failing."""

    @property
    def object(self) -> Object:
        """The Node, or the object that makes the nodes."""
        return self.source.holder

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Their labels."""
        return {key: view.scalar() for key, view in self.source.labels.entries()}

    @cached_property
    def taints(self) -> tuple[Taint, ...]:
        """Their taints that keep pods off for good."""
        return tuple(repelling(self.source.taints))

    @property
    def is_control_plane(self) -> bool:
        """Whether they run Kubernetes itself."""
        return any(key in self.labels for key in CONTROL_PLANE) or any(one.key in CONTROL_PLANE for one in self.taints)

    def has(self, labels: Mapping[str, str]) -> bool:
        """Tell whether they have all of some labels."""
        return all(self.labels.get(key) == value for key, value in labels.items())

    def offer(self, resource: str) -> Quantity:
        """Return what they all can give of a resource."""
        return self.offers.get(resource, Quantity(0)) * (self.count or 0)

    def installed(self, resource: str) -> Quantity:
        """Return what they would give if every card worked: feature discovery counts cards that the plugin leaves out.

        Its count is of physical cards, and is passed over where a node offers something else than whole cards.
        """
        given = self.offer(resource)
        cards = whole_number(self.labels.get(LABEL_CARD_COUNT, ""), _MOST_CARDS)
        if resource != RESOURCE_GPU or cards is None or self._cut:
            return given
        return max(given, Quantity.of(cards))

    @property
    def _cut(self) -> bool:
        others = (key for key, amount in self.offers.items() if amount.nanos and key.startswith("nvidia.com/"))
        return any(key != RESOURCE_GPU for key in others)


@once
def nodes(inventory: Inventory) -> tuple[Nodes, ...]:
    """Return the nodes and what makes nodes. The last reading is kept: all rules ask for the same."""
    return tuple(_nodes(inventory))


def _nodes(inventory: Inventory) -> Iterator[Nodes]:
    scaled = {one.spec["scaleTargetRef"]["name"].scalar() for one in inventory.of("MachineAutoscaler")}
    for one in labelled(inventory):
        kind = one.holder.kind
        if kind == "Node":
            yield Nodes(
                source=one, count=1, offers=_given(one.holder.root["status"]), schedulable=_schedulable(one.holder)
            )
        elif kind in _MAKERS:
            count = None if one.holder.name in scaled else _replicas(one.holder)
            yield Nodes(source=one, count=count, offers=_told(one.holder), schedulable=True)


def _given(status: View) -> dict[str, Quantity]:
    view = status["allocatable"] if status["allocatable"].is_mapping else status["capacity"]
    return _amounts(view)


def _amounts(view: View) -> dict[str, Quantity]:
    pairs = ((key, one.quantity()) for key, one in view.entries())
    return {key: amount for key, amount in pairs if amount is not None and amount.nanos >= 0}


def _told(one: Object) -> dict[str, Quantity]:
    found = {}
    for key, (resource, unit) in _MACHINE_OFFERS.items():
        text = one.root["metadata"]["annotations"][key].scalar()
        amount = Quantity.parse(text + unit) if text else None
        if amount is not None and amount.nanos >= 0:
            found[resource] = amount
    return found


def _replicas(one: Object) -> int | None:
    if any(key in one.root["metadata"]["annotations"] for key in _AUTOSCALED):
        return None
    number = one.spec["replicas"].number()
    return number if number is not None and number >= 0 else None


def _schedulable(one: Object) -> bool:
    ready = (
        cond["status"].scalar() for cond in one.root["status"]["conditions"].items() if cond["type"].text() == "Ready"
    )
    return not one.spec["unschedulable"].flag() and all(status.lower() == "true" for status in ready)
