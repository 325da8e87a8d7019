"""Which flavor of a cluster stands for which tier, card and sharing, whatever name it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.importer.machines import quotas
from gpuplan.importer.own.agents import agent_of
from gpuplan.importer.own.series import PoolSaid, Said
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.scheduling.queues import cohorts
from gpuplan.quantity import Quantity

Kind = tuple[str, str, str]
"""(tier, card, sharing): all pools that have it stand behind one flavor."""
Flavors = dict[Kind, Object]
_SHARES = re.compile(r"(?:time-slicing|mps|hami)-(\d+)(?:-plain)?")
"""How a way of sharing is called, with the shares of a card."""


def kind(pool: PoolSaid) -> Kind:
    """Return what makes pools stand behind one flavor."""
    return pool.tier, pool.card, pool.sharing


def flavors(inventory: Inventory, known: Said) -> Flavors:
    """Return the flavor of each tier, card and sharing: by its name, else by all else that it shows."""
    pools: dict[Kind, list[PoolSaid]] = {}
    for pool in known.pools:
        pools.setdefault(kind(pool), []).append(pool)
    found: Flavors = {}
    rest = list(inventory.of("ResourceFlavor"))
    for one in pools:
        named = re.compile(rf"{re.escape(bare_name(one))}(-\d+)?")
        made = next((flavor for flavor in rest if named.fullmatch(flavor.name)), None)
        if made is not None:
            found[one] = made
            rest.remove(made)
    amounts = quotas(inventory)
    open_kinds = [one for one in pools if one not in found]
    while open_kinds:
        fitting = {one: [flavor for flavor in rest if _fits(inventory, flavor, pools[one])] for one in open_kinds}
        one = min(open_kinds, key=lambda each: (not fitting[each], len(fitting[each])))
        for made in sorted(fitting[one], key=lambda flavor: not _counts(amounts.get(flavor.name, {}), pools[one]))[:1]:
            found[one] = made
            rest.remove(made)
        open_kinds.remove(one)
    return found


def in_order(inventory: Inventory, pools: Iterable[PoolSaid], made: Flavors) -> list[PoolSaid]:
    """Return pools as the quota tree has their flavors: the order of a fleet's pools is the one in which cards are tried."""
    tree = sorted(cohorts(inventory), key=lambda one: bool(one.cohort))
    names = (name for one in tree for group in one.groups for name in group.names)
    listed = list(dict.fromkeys(names))

    def place(pool: PoolSaid) -> int:
        flavor = made.get(kind(pool))
        return listed.index(flavor.name) if flavor is not None and flavor.name in listed else len(listed)

    return sorted(pools, key=place)


def bare_name(one: Kind) -> str:
    """Return the name that gpuplan would give the flavor, without a revision."""
    return conventions.flavor_name(*one, 0)


def revisions(made: Flavors) -> dict[Kind, int]:
    """Return the numbers that end the names of immutable objects, 0 where there is none.

    A flavor under a name of others has the number of its Topology. Where that has such a name too, any number will do by which
    Topologies of one tier are told apart.
    """
    found = {one: number for one, flavor in made.items() if (number := _told(one, flavor)) is not None}
    for one, flavor in made.items():
        if one not in found:
            alike = {found[other]: _topology(made[other]) for other in found if other[0] == one[0]}
            same = (number for number, name in sorted(alike.items()) if name == _topology(flavor))
            found[one] = next(same, next(number for number in range(len(made)) if number not in alike))
    return found


def _told(one: Kind, flavor: Object) -> int | None:
    """Return the number in the name of a flavor or of its Topology; None where both have names of others."""
    for usual, name in ((bare_name(one), flavor.name), (conventions.topology_name(one[0], 0), _topology(flavor))):
        match = re.fullmatch(rf"{re.escape(usual)}(?:-(\d+))?", name)
        if match:
            return int(match[1] or 0)
    return None


def _topology(flavor: Object) -> str:
    return flavor.spec["topologyName"].text()


def _fits(inventory: Inventory, flavor: Object, pools: list[PoolSaid]) -> bool:
    """Tell whether a flavor shows nothing that speaks against it: its tier, the labels of its nodes, what it has quota of."""
    first = pools[0]
    if flavor.labels.get(conventions.LABEL_TIER) != first.tier:
        return False
    labels = flavor.spec["nodeLabels"].texts()
    own = {conventions.LABEL_TIER: first.tier, conventions.LABEL_CARD: first.card}
    own[conventions.LABEL_SHARING] = first.sharing
    if first.sharing.startswith("mig-"):
        own[conventions.LABEL_MIG_CONFIG] = first.sharing.removeprefix("mig-")
    if _SHARES.fullmatch(labels.get(conventions.LABEL_DEVICE_PLUGIN_CONFIG, "")):
        own[conventions.LABEL_DEVICE_PLUGIN_CONFIG] = first.sharing
    if any(labels.get(key, value) != value for key, value in own.items()):
        return False
    offered = {series_name(name) for name, amount in quotas(inventory).get(flavor.name, {}).items() if amount.nanos}
    if offered and not offered & first.devices:
        return False
    return all(labels.items() <= selected.items() for pool in pools for selected in _selected(inventory, pool))


def _selected(inventory: Inventory, pool: PoolSaid) -> Iterator[dict[str, str]]:
    """Yield the labels by which the agents of a pool find its nodes, where it has such agents and they go by people's labels."""
    agent = agent_of(inventory, pool.name)
    chosen = agent.spec.walk("template", "spec")["nodeSelector"].texts() if agent is not None else {}
    if chosen and not any(key.startswith(f"{conventions.LABEL_DOMAIN}/") for key in chosen):
        yield chosen


def _counts(amounts: dict[str, Quantity], pools: list[PoolSaid]) -> bool:
    """Tell whether the quotas of a flavor add up to the cards of its pools, or to their shares."""
    cards = sum((pool.nodes or 0) * (pool.cards_per_node or 0) for pool in pools)
    shares = _SHARES.fullmatch(pools[0].sharing)
    pieces = cards * int(shares[1]) if shares else cards
    return any(amount.whole == pieces for amount in amounts.values())


def series_name(resource: str) -> str:
    """Return a resource as kube-state-metrics spells it: `nvidia_com_gpu`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", resource)
