"""`gpuplan cards`: the catalogue's cards for people, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from gpuplan.catalog import Card, MigClass
from gpuplan.report.console import table, title

FORMAT_VERSION = "1.0"
KEYS = {
    "product_name": "productName",
    "pci_ids": "pciIds",
    "memory_gib": "memoryGiB",
    "memory_mib": "memoryMiB",
    "architecture": "architecture",
    "compute_capability": "computeCapability",
    "mig_class": "migClass",
    "nvlink": "nvlink",
    "fp8": "fp8",
    "tdp_watts": "tdpWatts",
    "cards_per_node": "cardsPerNode",
    "devices": "devicesPerCard",
    "resource": "resource",
    "min_driver": "minDriver",
    "kernel_modules": "kernelModules",
}
"""Fields of a card -> the key that people and programs see."""


def overview(cards: Iterable[Card]) -> Iterator[RenderableType]:
    """Yield one line a card."""
    rows = [
        (
            card.name,
            card.vendor.value,
            f"{card.memory_gib}",
            card.architecture,
            card.mig_class or "-",
            "yes" if card.fp8 else "no",
            card.resource,
            card.product_name,
        )
        for card in cards
    ]
    header = ("CARD", "VENDOR", "GIB", "ARCHITECTURE", "MIG", "FP8", "RESOURCE", "PRODUCT LABEL")
    yield table(header, rows, right=frozenset({2}))


def details(card: Card, mig: MigClass | None) -> Iterator[RenderableType]:
    """Yield everything about one card; a value that nobody has read at a source is marked."""
    yield title(card.name)
    known = {name: value for name, value in facts(card).items() if name not in ("name", "unchecked")}
    unsure = set(facts(card)["unchecked"])
    yield table(
        ("", ""),
        [(name, _shown(value, unsure=name in unsure)) for name, value in known.items() if value not in (None, "", [])],
    )
    if unsure:
        yield Text("\nNobody has read the unchecked values at a source: rules only warn on them.")
    if mig is not None:
        yield Text("")
        yield title(f"MIG class {mig.name}: {mig.memory_slices} memory slices, {mig.compute_slices} compute slices")
        rows = [
            (profile.name, str(profile.max_count), profile.resource, str(profile.memory_slices))
            for profile in mig.profiles.values()
        ]
        yield table(("PROFILE", "MOST", "RESOURCE (mixed)", "MEMORY SLICES"), rows, right=frozenset({1, 3}))
        if not mig.confirmed:
            yield Text("Nobody has read these placements from a card: rules only warn on them.")


def _shown(value: Any, *, unsure: bool) -> str:
    if isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return f"{text} (unchecked)" if unsure else text


def facts(card: Card) -> dict[str, Any]:
    """Return a card as data; `unchecked` names the facts that nobody has read at a source."""
    return {
        "name": card.name,
        "vendor": card.vendor.value,
        "productName": card.product_name,
        "pciIds": list(card.pci_ids),
        "memoryGiB": card.memory_gib,
        "memoryMiB": card.memory_mib,
        "architecture": card.architecture,
        "computeCapability": str(card.compute_capability) if card.compute_capability else None,
        "migClass": card.mig_class,
        "nvlink": card.nvlink,
        "fp8": card.fp8,
        "tdpWatts": card.tdp_watts,
        "cardsPerNode": list(card.cards_per_node),
        "devicesPerCard": card.devices,
        "resource": card.resource,
        "minDriver": str(card.min_driver) if card.min_driver else None,
        "kernelModules": card.kernel_modules.value if card.kernel_modules else None,
        "unchecked": sorted(KEYS[field] for field in card.unchecked),
        "source": card.source,
        "checked": card.checked.isoformat(),
    }


def data(cards: Iterable[Card]) -> dict[str, Any]:
    """Return cards for programs."""
    return {"format_version": FORMAT_VERSION, "cards": [facts(card) for card in cards]}
