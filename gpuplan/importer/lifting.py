"""Inventory -> draft: every part of the spec that the files tell, cluster by cluster."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog import Catalog
from gpuplan.importer import adopting, counting, hardware, monitors, own, platform, sharing, teams
from gpuplan.importer.cards import MEMORY_TAKEN, mig_class_of, profiles_of, vendor_of
from gpuplan.importer.draft import Draft, Entry, joined
from gpuplan.importer.own.policy import fleet_wide
from gpuplan.importer.pool import Pool
from gpuplan.importer.spoken import Spoken, spoken
from gpuplan.inventory.inventory import Inventory

Plain = object
SELECTING: Mapping[str, str] = {
    "nvidia": "feature.node.kubernetes.io/pci-10de.present",
    "amd": "feature.node.kubernetes.io/amd-gpu",
    "intel": "intel.feature.node.kubernetes.io/gpu",
    "huawei": "accelerator",
}
"""Labels that vendors' discovery puts on every node with their cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """The draft, the pools behind it, and where the meaning of objects is that are in no entry as they were."""

    draft: Draft
    pools: Mapping[str, tuple[Pool, ...]]
    """By cluster; also those without cards, which no spec holds."""
    lifted: Mapping[str, Spoken]


def lift(inventories: Mapping[str, Inventory], fleet: str, today: datetime.date) -> Lifted:
    """Make a draft of what was found, by the names of the clusters."""
    if any(own.is_ours(inventory) for inventory in inventories.values()):
        every = inventories.values()
        return _of_own_output(inventories, own.fleet_name(every) or own.root_name(every) or fleet, today)
    entries: list[Entry] = []
    pools: dict[str, tuple[Pool, ...]] = {}
    where: dict[str, Spoken] = {}
    left: dict[str, str] = {}
    for name, inventory in inventories.items():
        found = hardware.pools(inventory)
        pools[name] = found
        owners, owner_of = teams.teams(inventory)
        sayable = tuple(pool for pool in found if pool.has_cards and not pool.beyond)
        divides = any(pool.sharing != sharing.EXCLUSIVE for pool in sayable)
        discovered = any(key.startswith(platform.DISCOVERED) for pool in sayable for key in pool.labels)
        entries.append(platform.cluster(name, inventory, divides=divides, discovered=discovered))
        entries += _hardware(name, sayable, inventory.catalog)
        entries += teams.task_pools(inventory, sayable)
        entries += owners
        entries += adopting.adopted(name, inventory, owner_of)
        where |= spoken(name, inventory, sayable)
        left |= {_called(pool): pool.beyond for pool in found if pool.beyond}
    entries += counting.of_others(inventories.values())
    entries += monitors.selector_labels(inventories.values())
    return Lifted(draft=joined(fleet, entries, left), pools=pools, lifted=where)


def _of_own_output(inventories: Mapping[str, Inventory], fleet: str, today: datetime.date) -> Lifted:
    """Make a draft of what gpuplan has rendered. What stands in no cluster's folder is Argo CD's, and no cluster."""
    rendered = {name: inventory for name, inventory in inventories.items() if not own.is_hub(name, inventory)}
    hubs = {name: inventory for name, inventory in inventories.items() if name not in rendered}
    clusters = [platform.rendered(name, inventory, hubs.values()) for name, inventory in rendered.items()]
    entries = (*clusters, *own.lift(rendered, clusters, fleet, today), *fleet_wide(rendered, hubs, fleet))
    pools = {name: hardware.pools(inventory) for name, inventory in rendered.items()}
    return Lifted(draft=joined(fleet, entries, {}), pools=pools, lifted={})


def _called(pool: Pool) -> str:
    return f"nodes of flavor {pool.flavor}" if pool.flavor else f"nodes of {pool.name}"


def _hardware(cluster: str, pools: Iterable[Pool], catalog: Catalog) -> Iterator[Entry]:
    for pool in pools:
        yield from _card(pool, catalog)
        yield _tier(pool)
        yield _pool(cluster, pool)


def _card_name(pool: Pool) -> str:
    return pool.card.name if pool.card is not None else f"{pool.name}-card"[:63]


def _vendor(pool: Pool) -> str:
    if pool.card is not None:
        return pool.card.vendor.value
    vendor = vendor_of(pool.resources[0]) if pool.resources else None
    return vendor.value if vendor is not None else "nvidia"


def _card(pool: Pool, catalog: Catalog) -> Iterator[Entry]:
    """Yield a card of the fleet's own for one that the catalogue does not know."""
    if pool.card is None:
        value: dict[str, Plain] = {
            "vendor": _vendor(pool),
            "productName": pool.card_label or "unknown",
            "memoryGiB": MEMORY_TAKEN,
        }
        whole = next((name for name in pool.resources if "mig-" not in name), "")
        if whole:
            value["resource"] = whole
        known = mig_class_of(profiles_of(pool.sharing), catalog.mig)
        if known:
            value["migClass"] = known
        told = f"its {MEMORY_TAKEN} GiB are a guess."
        notes = (f"The files do not tell which card this is: put a name of `gpuplan cards` in its place; {told}",)
        if pool.card_label:
            notes = (f"The catalogue does not know this card: {told}",)
        yield Entry(section=("cards",), name=_card_name(pool), value=value, notes=notes)


def _tier(pool: Pool) -> Entry:
    return Entry(section=("cardTiers",), name=pool.name, value={"cards": [_card_name(pool)], "topology": "off"})


def _pool(cluster: str, pool: Pool) -> Entry:
    notes = [*pool.notes]
    value: dict[str, Plain] = {"cluster": cluster, "tier": pool.name}
    if pool.nodes:
        value["nodes"] = pool.nodes
        value["cardsPerNode"] = pool.cards_per_node or 1
        if pool.cards_per_node is None:
            notes.append("The files do not tell how many cards a node has: 1 is taken.")
    else:
        notes.append("The files do not tell how many nodes there are, and a quota is no count of them.")
        if pool.cards_per_node is not None:
            notes.append(f"Each node has {pool.cards_per_node} cards: write that beside `nodes`.")
    if pool.hollow:
        names = ", ".join(pool.hollow)
        notes.append(f"Not counted, since no card is to be had there though labels say so: {names}.")
    value["selectedBy"] = {"labels": dict(pool.labels) or _by_vendor(pool, notes)}
    if pool.sharing != sharing.EXCLUSIVE:
        value["sharing"] = pool.sharing
    if pool.taints:
        value["taints"] = [_taint(*one) for one in pool.taints]
    if pool.companions:
        value["companions"] = {name: str(amount) for name, amount in sorted(pool.companions.items())}
    return Entry(section=("nodePools",), name=pool.name, value=value, notes=tuple(notes))


def _by_vendor(pool: Pool, notes: list[str]) -> dict[str, str]:
    notes.append("No label tells these nodes from others: this one stands on every node with cards of the vendor.")
    return {SELECTING[_vendor(pool)]: "true"}


def _taint(key: str, value: str, effect: str) -> dict[str, str]:
    return {"key": key, **({"value": value} if value else {}), "effect": effect}
