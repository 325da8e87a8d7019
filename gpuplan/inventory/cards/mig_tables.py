"""MIG tables of mig-parted: named layouts of the cards of a node.

Entries apply in their order, a later one over an earlier one; a card that none names stays as it is. Source:
NVIDIA/mig-parted v0.15.0, `api/spec/v1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan.catalog.cards import Card
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a layout: some cards of a node, and how they are cut."""

    view: View
    devices: tuple[int, ...] | None
    """Indexes of the cards; None for all."""
    pci_ids: tuple[str, ...]
    """Device ids of the cards that it is meant for, as the catalogue writes them; none for every card."""
    enabled: bool
    counts: tuple[tuple[str, int, View], ...]
    """(profile, instances on each card, where it stands), as written."""

    @property
    def mix(self) -> dict[str, int]:
        """Instances on each card, by profile; none where MIG is off."""
        return {name: count for name, count, _ in self.counts if count > 0} if self.enabled else {}

    def takes(self, card: Card | None) -> bool:
        """Tell whether it is meant for a card, or may be for one that nobody knows."""
        return not self.pci_ids or card is None or any(pci in card.pci_ids for pci in self.pci_ids)


@dataclass(frozen=True, eq=False, kw_only=True)
class Layout:
    """A named layout: the value of the node label `nvidia.com/mig.config`."""

    name: str
    view: View
    entries: tuple[Entry, ...]

    @property
    def enabled(self) -> bool:
        """Whether it cuts any card."""
        return any(one.enabled for one in self.entries)

    def cuts(self, cards: int, card: Card | None = None) -> list[dict[str, int]]:
        """Return the instances on each card of a node with so many."""
        found: list[dict[str, int]] = [{} for _ in range(cards)]
        for one in self.entries:
            if one.takes(card):
                for index in range(cards) if one.devices is None else one.devices:
                    if 0 <= index < cards:
                        found[index] = one.mix
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class MigTable:
    """One file of mig-parted."""

    config: Config

    @cached_property
    def layouts(self) -> Mapping[str, Layout]:
        """Its layouts by name."""
        return {
            name: Layout(name=name, view=view, entries=tuple(entry(one) for one in view.items()))
            for name, view in self.config.root["mig-configs"].entries()
        }

    @property
    def for_several_cards(self) -> bool:
        """Whether it is written for more than one model of card, as the one that the operator brings is."""
        return any(one.pci_ids for layout in self.layouts.values() for one in layout.entries)


def tables(inventory: Inventory) -> tuple[MigTable, ...]:
    """Return every MIG table: files, keys of ConfigMaps, texts in a chart's values."""
    return tuple(MigTable(config=config) for config in inventory.configs_of(Format.MIG_PARTED))


def entry(view: View) -> Entry:
    """Read an entry of a layout."""
    devices, counts = view["devices"], view["mig-devices"].entries()
    return Entry(
        view=view,
        devices=tuple(n for one in devices.items() if (n := one.number()) is not None) if _is_list(devices) else None,
        pci_ids=tuple(_pci(text) for text in _strings(view["device-filter"])),
        enabled=view["mig-enabled"].flag(),
        counts=tuple((name, count, one) for name, one in counts if (count := one.number()) is not None),
    )


def _is_list(view: View) -> bool:
    return isinstance(view.value, list | tuple)


def _strings(view: View) -> tuple[str, ...]:
    return (view.text(),) if view.text() else view.strings()


def _pci(text: str) -> str:
    """Return the device's id of a filter such as `0x233010DE`, which holds the vendor's after it."""
    return text.lower().removeprefix("0x")[:4]
