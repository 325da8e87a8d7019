"""Which driver manifests bring to which cards, as rules look at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog import DriverLimits
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.inventory.cards.labelled import labelled
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.versions import Version, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """A driver and a card that it is for."""

    view: View
    """`driver` of the operator's settings, or `spec` of an NVIDIADriver."""
    card: Card
    limits: DriverLimits
    who: str
    """A node with the card, or each node where the card is assumed."""

    @property
    def version(self) -> Version | None:
        """The driver's version; of a precompiled one only its branch."""
        return parse(self.view["version"].scalar())

    @property
    def modules(self) -> View:
        """The kernel modules that are chosen."""
        return self.view["kernelModuleType"]


def brought(inventory: Inventory) -> Iterator[Brought]:
    """Yield each driver once for each model of card among the nodes that it goes to."""
    drivers = list(_drivers(inventory))
    cards = _cards(inventory) if drivers else []
    for view, selector in drivers:
        seen = set()
        for labels, card, who in cards:
            limits = inventory.catalog.driver_limits(card)
            if limits is None or card.name in seen or any(labels.get(key) != value for key, value in selector.items()):
                continue
            seen.add(card.name)
            yield Brought(view=view, card=card, limits=limits, who=who)


def _cards(inventory: Inventory) -> list[tuple[Mapping[str, str], Card, str]]:
    nodes = [one for one in labelled(inventory) if one.is_node]
    found = [(one.labels.texts(), card, one.subject) for one in nodes if (card := one.card(inventory)) is not None]
    if not nodes and inventory.assumed.card is not None:
        found = [({}, inventory.assumed.card, "Each node")]
    return [one for one in found if one[1].vendor is Vendor.NVIDIA]


def _drivers(inventory: Inventory) -> Iterator[tuple[View, Mapping[str, str]]]:
    for operator in operators(inventory):
        driver = operator.root["driver"]
        if driver.is_mapping and driver["enabled"].flag(otherwise=True) and not driver["useNvidiaDriverCRD"].flag():
            yield driver, {}
    for one in inventory.of("NVIDIADriver"):
        yield one.spec, one.spec["nodeSelector"].texts()
