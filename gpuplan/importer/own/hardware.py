"""Tiers and node pools of a cluster that gpuplan has rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.importer.cards import MEMORY_TAKEN, mig_class_of, profiles_of, vendor_of
from gpuplan.importer.draft import Entry
from gpuplan.importer.machines import quotas
from gpuplan.importer.own.agents import agent_of, driver_of
from gpuplan.importer.own.flavors import flavors, in_order, kind, revisions, series_name
from gpuplan.importer.own.selection import selected_by
from gpuplan.importer.own.series import PoolSaid, Said
from gpuplan.importer.own.stacks import is_guess, stack_of, stack_of_pool, vendor_of_pool
from gpuplan.importer.sharing import of_table
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format, Object
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity

Plain = object
_SHARES = re.compile(r"(time-slicing|mps|hami)-(\d+)(-plain)?")
_PARTITION = re.compile(r"(spx|cpx)-(nps\d)(-plain)?")
_CUT = re.compile(r"(\d+)x(\d+g\.\d+gb(?:[.+-](?:me|gfx)[a-z.]*)?)")
_DRA = series_name(conventions.DRA_RESOURCES)
"""How resources that Kueue alone counts begin in series."""
_KEYS = {"time-slicing": "timeSlicing", "mps": "mps", "hami": "hami"}


SERVED_NOTE = "No object says whether the GPU Operator, which is there, serves these nodes: that it does is a guess."
LEVELS_NOTE = "Who labels its nodes with the topology's levels stands in no object: their provider is taken."


def hardware(cluster: str, inventory: Inventory, known: Said) -> Iterator[Entry]:
    """Yield the entries of a cluster's tiers and pools."""
    made = flavors(inventory, known)
    numbers = revisions(made)
    for pool in in_order(inventory, known.pools, made):
        flavor = made.get(kind(pool))
        if pool.card not in inventory.catalog.cards:
            yield _own_card(inventory, pool, flavor)
        yield _tier(inventory, known, pool, flavor)
        number = numbers.get(kind(pool), 0)
        entry = _pool(cluster, inventory, known, pool, flavor)
        yield _revised(entry, number) if number else entry


def _own_card(inventory: Inventory, pool: PoolSaid, flavor: Object | None) -> Entry:
    """Return a card of the fleet's own, of which the objects hold the resource and the MIG profiles alone."""
    resources = [name for name in _resources(inventory, flavor) if _is_device(pool, name)]
    vendor = next((vendor.value for name in resources if (vendor := vendor_of(name)) is not None), "nvidia")
    value: dict[str, Plain] = {"vendor": vendor, "productName": pool.card, "memoryGiB": MEMORY_TAKEN}
    sharing = _sharing(inventory, pool)[0]
    known = mig_class_of(profiles_of(sharing), inventory.catalog.mig)
    if known:
        value["migClass"] = known
    whole = next((name for name in resources if "mig-" not in name and not name.endswith(".shared")), "")
    if whole and pool.sharing == "exclusive":
        value["resource"] = whole
    note = f"The objects hold neither product nor memory of a card of the fleet's own: {MEMORY_TAKEN} GiB are a guess."
    return Entry(section=("cards",), name=pool.card, value=value, notes=(note,))


def _is_device(pool: PoolSaid, resource: str) -> bool:
    return series_name(resource) in pool.devices


def _tier(inventory: Inventory, known: Said, pool: PoolSaid, flavor: Object | None) -> Entry:
    cards = list(dict.fromkeys(one.card for one in known.pools if one.tier == pool.tier))
    value: dict[str, Plain] = {"cards": cards, "topology": _topology(inventory, flavor)}
    if pool.price:
        value["costPerCardHour"] = pool.price
    return Entry(section=("cardTiers",), name=pool.tier, value=value)


def _topology(inventory: Inventory, flavor: Object | None) -> Plain:
    levels = _levels(inventory, flavor)
    return {"levels": levels} if levels else "off"


def _levels(inventory: Inventory, flavor: Object | None) -> list[str]:
    named = flavor.spec["topologyName"].text() if flavor is not None else ""
    topology = inventory.find("Topology", named) if named else None
    return [level["nodeLabel"].text() for level in topology.spec["levels"].items()] if topology is not None else []


def _revised(entry: Entry, number: int) -> Entry:
    value = entry.value if isinstance(entry.value, dict) else {}
    return replace(entry, value={**value, "revision": number})


def _pool(cluster: str, inventory: Inventory, known: Said, pool: PoolSaid, flavor: Object | None) -> Entry:
    agent = agent_of(inventory, pool.name)
    stack = stack_of_pool(inventory, pool, flavor, agent)
    operated = stack == "operator" and vendor_of_pool(inventory, pool) is Vendor.NVIDIA
    sharing, notes = _sharing(inventory, pool)
    if operated and is_guess(inventory, pool, flavor):
        notes = (*notes, SERVED_NOTE)
    layered = len(_levels(inventory, flavor)) > 1
    if layered:
        notes = (*notes, LEVELS_NOTE)
    value: dict[str, Plain] = {
        "cluster": cluster,
        "tier": pool.tier,
        "card": pool.card,
        "nodes": pool.nodes,
        "cardsPerNode": pool.cards_per_node,
        "selectedBy": selected_by(inventory, pool.name, flavor, agent),
        "sharing": sharing if sharing != "exclusive" else None,
        "exposure": "dra" if any(name.startswith(_DRA) for name in pool.devices) else None,
        "taints": _taints(inventory, pool, flavor, agent) or None,
        "topologyLabels": "provided" if layered else None,
        "stack": stack if stack != stack_of(inventory) else None,
        "driver": driver_of(inventory, pool.name, operated=operated) or None,
        "companions": _companions(inventory, known, pool, flavor) or None,
    }
    told = {key: one for key, one in value.items() if one is not None}
    return Entry(section=("nodePools",), name=pool.name, value=told, notes=notes)


def _sharing(inventory: Inventory, pool: PoolSaid) -> tuple[Plain, tuple[str, ...]]:
    label = pool.sharing
    if match := _SHARES.fullmatch(label):
        key, number, plain = match[1], int(match[2]), match[3]
        if key == "hami":
            return {"hami": {"split": number}}, ()
        return {_KEYS[key]: {"replicas": number, **({"renameByDefault": False} if plain else {})}}, ()
    if match := _PARTITION.fullmatch(label):
        naming = {} if match[3] else {"resourceNaming": "mixed"}
        return {"partition": {"compute": match[1].upper(), "memory": match[2].upper(), **naming}}, ()
    if label.startswith("vnpu-"):
        return {"vnpu": {"templates": _templates(inventory, pool)}}, ()
    if label.startswith("mig-"):
        return _mig(inventory, pool)
    return "exclusive", ()


def _templates(inventory: Inventory, pool: PoolSaid) -> dict[str, int]:
    """Return the templates of virtual NPUs in a label, which spells `vir10_3c_32g` as `vir10-3c-32g`."""
    known = inventory.catalog.cuts.vnpus.get(pool.card)
    found: dict[str, int] = {}
    for name in sorted(known.templates if known else (), key=len, reverse=True):
        spelt = name.lower().replace("_", "-")
        match = re.search(rf"-(\d+)x{re.escape(spelt)}(?=-\d+x|$)", pool.sharing)
        if match:
            found[name] = int(match[1])
    return found


def _mig(inventory: Inventory, pool: PoolSaid) -> tuple[Plain, tuple[str, ...]]:
    """Return the cut of a pool as the MIG manager's table has it, else as its label tells it."""
    name = pool.sharing.removeprefix("mig-")
    strategy = "single" if name.startswith("single-") else "mixed"
    groups = _layout(inventory, pool, name)
    if groups is None:
        cut = {profile: int(count) for count, profile in _CUT.findall(name)}
        return {"mig": {"strategy": strategy, "profiles": cut}}, ()
    made = of_table(groups, strategy, pool.cards_per_node)
    value = made.value
    bare = name.removeprefix("single-")
    if isinstance(value, dict) and not _CUT.search(bare):
        value = {"mig": {**value["mig"], "name": bare}}
    return value, made.notes


def _layout(inventory: Inventory, pool: PoolSaid, name: str) -> View | None:
    """Return an entry of the table that the pool's own MIG manager reads, else the operator's: two may have one name."""
    found: dict[str, View] = {}
    for config in inventory.configs_of(Format.MIG_PARTED):
        entry = config.root["mig-configs"][name]
        if entry.exists:
            found[config.holder.name if isinstance(config.holder, Object) else ""] = entry
    own = f"{conventions.daemon_set_name(conventions.MIG_MANAGER, pool.name)}-"
    by_place = sorted(
        found, key=lambda holder: (not holder.startswith(own), holder.startswith(conventions.MIG_MANAGER))
    )
    return found[by_place[0]] if by_place else None


def _taints(inventory: Inventory, pool: PoolSaid, flavor: Object | None, agent: Object | None) -> list[dict[str, str]]:
    """Return the taints of a pool's nodes: what its agents tolerate, or the work on it."""
    rule = inventory.find("NodeFeatureRule", conventions.node_feature_rule_name(pool.name))
    made = rule.spec["rules"].items() if rule is not None else iter(())
    said = [taint for one in made for taint in one["taints"].items()]
    if not said:
        holder = (
            agent.spec.walk("template", "spec") if agent is not None else flavor.spec if flavor is not None else None
        )
        said = list(holder["tolerations"].items()) if holder is not None else []
    found = [_taint(one) for one in said if one["key"].text() != conventions.TAINT_UNHEALTHY]
    return [one for one in found if one["key"] and one["effect"]]


def _taint(view: View) -> dict[str, str]:
    value = view["value"].scalar()
    return {"key": view["key"].text(), **({"value": value} if value else {}), "effect": view["effect"].text()}


def _resources(inventory: Inventory, flavor: Object | None) -> list[str]:
    return list(quotas(inventory).get(flavor.name, {})) if flavor is not None else []


def _companions(inventory: Inventory, known: Said, pool: PoolSaid, flavor: Object | None) -> Mapping[str, str]:
    """Return what each node offers besides cards: the flavor's total over the nodes of all pools behind it."""
    if flavor is None:
        return {}
    alike = [one for one in known.pools if kind(one) == kind(pool)]
    nodes = [one.nodes or 0 for one in alike]
    amounts = quotas(inventory).get(flavor.name, {})
    found = {}
    for name, amount in sorted(amounts.items()):
        if not _is_device(pool, name) and amount.nanos and all(nodes):
            each = spread(amount.nanos, nodes)[alike.index(pool)]
            found[name] = str(Quantity(each, amount.binary))
    return found


def spread(total: int, nodes: list[int]) -> list[int]:
    """Return an amount for each node of several pools that adds up to the total exactly, as even as that allows.

    >>> spread(93, [3, 4])
    [15, 12]
    >>> spread(10, [5])
    [2]
    """
    even = total // sum(nodes)
    if len(nodes) == 1:
        return [even]
    *others, last = nodes
    for more in range(last):
        rest = total - even * sum(others) - more * others[0]
        if rest >= 0 and rest % last == 0:
            return [even + more, *(even for _ in others[1:]), rest // last]
    return [even for _ in nodes]
