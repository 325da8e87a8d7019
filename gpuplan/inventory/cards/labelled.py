"""What puts labels and taints on nodes: nodes themselves, and the objects that nodes are made by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.catalog.cards import Card
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.quantity import whole_number

MIG_INVALID = "-MIG-INVALID"
_MOST_CARDS = 9999
"""Cards of a node; a label above it is no count."""
_APPENDED = re.compile(r"(-MIG-[0-9A-Za-z.-]+?)?(-SHARED)?$")

_METADATA = ("metadata", "labels")
_PLACES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Node": (_METADATA, ("spec", "taints")),
    "MachineSet": (("spec", "template", "spec", "metadata", "labels"), ("spec", "template", "spec", "taints")),
    "MachineDeployment": (("spec", "template", "metadata", "labels"), ("spec", "template", "spec", "taints")),
    "NodePool": (("spec", "template", "metadata", "labels"), ("spec", "template", "spec", "taints")),
    "Provisioner": (("spec", "labels"), ("spec", "taints")),
}
"""Kind -> where the labels and the taints of its nodes stand."""
_GROUPS = ("nodeGroups", "managedNodeGroups")
"""Lists of eksctl's ClusterConfig, each item of which has `labels` and `taints`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A node, or what makes nodes or labels them."""

    holder: Object
    name: str
    """What people call it: the name of the node, of the pool, or of the rule."""
    labels: View
    taints: View

    def label(self, key: str) -> str:
        """Return the value of a label; empty where there is none."""
        value = self.labels.value
        found = value.get(key) if isinstance(value, Mapping) else None
        return found if isinstance(found, str) else self.labels[key].scalar() if found is not None else ""

    @property
    def is_node(self) -> bool:
        """Whether it is a node."""
        return self.holder.kind == "Node"

    def card(self, inventory: Inventory) -> Card | None:
        """Return the card that its product label tells, or the assumed one where it has none."""
        product = self.label(conventions.LABEL_PRODUCT)
        return card_of_product(product, inventory) if product else inventory.assumed.card

    def cards(self, inventory: Inventory) -> int | None:
        """Return the physical cards of a node."""
        count = whole_number(self.label(conventions.LABEL_CARD_COUNT), _MOST_CARDS)
        return inventory.assumed.cards_per_node if count is None else count

    @property
    def subject(self) -> str:
        """What it is called at the beginning of a sentence."""
        return str(self)[:1].upper() + str(self)[1:]

    def __str__(self) -> str:
        kind = {"Node": "node", "NodeFeatureRule": "rule"}.get(self.holder.kind, self.holder.kind)
        return f"{kind} `{self.name}`"


@once
def labelled(inventory: Inventory) -> tuple[Labelled, ...]:
    """Return all that labels or taints nodes, kind by kind. The last reading is kept: many rules ask for the same."""
    return tuple(_labelled(inventory))


def _labelled(inventory: Inventory) -> Iterator[Labelled]:
    for one in inventory.of(*_PLACES):
        labels, taints = _PLACES[one.kind]
        yield Labelled(holder=one, name=one.name, labels=one.root.walk(*labels), taints=one.root.walk(*taints))
    for one in inventory.of("NodeFeatureRule"):
        for rule in one.spec["rules"].items():
            name = rule["name"].text(one.name)
            yield Labelled(holder=one, name=name, labels=rule["labels"], taints=rule["taints"])
    for one in inventory.of("ClusterConfig"):
        for group in (item for key in _GROUPS for item in one.root[key].items()):
            name = group["name"].text(one.name)
            yield Labelled(holder=one, name=name, labels=group["labels"], taints=group["taints"])


def card_of_product(product: str, inventory: Inventory) -> Card | None:
    """Return the card of a product label, whatever sharing and MIG append to it."""
    return _by_product(inventory).get(_APPENDED.sub("", product, count=1))


@once
def _by_product(inventory: Inventory) -> Mapping[str, Card]:
    return {card.product_name: card for card in reversed(list(inventory.catalog.cards.values()))}


def mig_config(one: Labelled) -> View:
    """Where the MIG layout of its nodes is named."""
    return one.labels[conventions.LABEL_MIG_CONFIG]


def plugin_config(one: Labelled) -> View:
    """Where the device plugin's profile of its nodes is named."""
    return one.labels[conventions.LABEL_DEVICE_PLUGIN_CONFIG]
