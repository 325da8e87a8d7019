"""Task pools, teams and their quotas out of queues that gpuplan has rendered.

Numbers are written by the shortest address that stands for one flavor and resource of the cluster; so the hardware must be known
as the spec has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from gpuplan.catalog.cards import Vendor
from gpuplan.importer.draft import Entry
from gpuplan.importer.own import work
from gpuplan.importer.own.names import task_pools
from gpuplan.importer.own.series import QueueSaid, Said
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.model.flavors import Flavor
from gpuplan.model.sharing import SharingMode
from gpuplan.resolve.addresses import finest

Plain = object
Flavors = Mapping[str, tuple[Flavor, ...]]
"""The flavors of each cluster."""
FALLBACK = {("TryNextFlavor", "TryNextFlavor"): "nextTier", ("MayStopSearch", "MayStopSearch"): "lastResort"}
KIND_NOTE = "What kind of work it runs stands in no object: {kind} is taken."
KINDS = {"guaranteed": "training", "queued": "training", "shared": "experiment", "reclaimable": "experiment"}


OTHER_KIND = "batchInference"
"""What is taken where training would be seen."""


def demand(inventories: Mapping[str, Inventory], known: Mapping[str, Said], flavors: Flavors) -> Iterator[Entry]:
    """Yield the entries of task pools and teams of all clusters."""
    pools: dict[str, dict[str, Plain]] = {}
    teams: dict[str, dict[str, Plain]] = {}
    shown: set[str] = set()
    called = task_pools(inventories, known)
    for cluster, inventory in inventories.items():
        for team in known[cluster].teams:
            entry = teams.setdefault(team.name, {"namespaces": [], "quotas": {}})
            entry["namespaces"] = list(dict.fromkeys([*_list(entry["namespaces"]), *team.namespaces]))
            if team.cost_center:
                entry["costCenter"] = team.cost_center
            groups = _groups(inventory, team.namespaces)
            if groups:
                entry["groups"] = groups
        for queue in known[cluster].queues:
            made = inventory.find("ClusterQueue", queue.name)
            if made is not None:
                _add_pool(pools, queue, made, flavors[cluster])
                if work.shows_training(inventory) and _whole_nvidia(made, flavors[cluster]):
                    shown.add(queue.task_pool)
                _add_quota(teams, cluster, queue, made, flavors[cluster])
        _add_shares(pools, cluster, inventory, flavors[cluster], called)
    yield from _task_pools(pools, inventories, known, shown)
    for name, value in teams.items():
        yield Entry(section=("teams",), name=name, value=value)


def _task_pools(
    pools: Mapping[str, dict[str, Plain]],
    inventories: Mapping[str, Inventory],
    known: Mapping[str, Said],
    shown: set[str],
) -> Iterator[Entry]:
    """Yield the task pools with all that is sure of them. Of those `shown`, training would be watched."""
    facts = work.told(inventories, known)
    other = {name: {"kind": OTHER_KIND} for name in shown if pools[name]["kind"] == "training"}
    made = {name: {**value, **other.get(name, {}), **facts.get(name, {})} for name, value in pools.items()}
    where: dict[str, set[str]] = {}
    for cluster, one in known.items():
        for queue in one.queues:
            where.setdefault(queue.task_pool, set()).add(cluster)
    runs = work.frameworks(inventories, {name: str(value["kind"]) for name, value in made.items()}, where)
    for name, value in made.items():
        notes = () if "kind" in facts.get(name, {}) else (KIND_NOTE.format(kind=value["kind"]),)
        if name in runs:
            value["frameworks"] = runs[name]
            notes = (*notes, work.FRAMEWORKS_NOTE)
        yield Entry(section=("taskPools",), name=name, value=value, notes=notes)


def in_order(known: list[str], more: list[str]) -> list[str]:
    """Return the tiers that two clusters show of one task pool, each in its order.

    >>> in_order(["desk", "ci"], ["serve", "desk"])
    ['serve', 'desk', 'ci']
    """
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for names in (known, more):
        for before, name in zip(("", *names), names, strict=False):
            sorter.add(name, *([before] if before else []))
    try:
        return list(sorter.static_order())
    except CycleError:  # the clusters disagree, which no output of ours does
        return list(dict.fromkeys([*known, *more]))


def _list(value: Plain) -> list[str]:
    return value if isinstance(value, list) else []


def _groups(inventory: Inventory, namespaces: tuple[str, ...]) -> list[str]:
    """Return the people of a team: the groups that may work in its namespaces."""
    found = [
        subject["name"].text()
        for binding in inventory.of("RoleBinding")
        if binding.namespace in namespaces and binding.name.endswith("team-member")
        for subject in binding.root["subjects"].items()
        if subject["kind"].text() == "Group"
    ]
    return list(dict.fromkeys(found))


def _add_pool(pools: dict[str, dict[str, Plain]], queue: QueueSaid, made: Object, flavors: tuple[Flavor, ...]) -> None:
    tiers = _tiers(made, flavors)
    value = pools.setdefault(
        queue.task_pool, {"kind": KINDS.get(queue.service, "experiment"), "service": queue.service, "tiers": []}
    )
    value["tiers"] = in_order(_list(value["tiers"]), tiers)
    fungibility = made.spec["flavorFungibility"]
    fallback = FALLBACK.get((fungibility["whenCanBorrow"].text(), fungibility["whenCanPreempt"].text()))
    if fallback:
        value["fallback"] = fallback
    if made.spec["queueingStrategy"].text() == "StrictFIFO":
        value["queueing"] = "strict"


def _tiers(made: Object, flavors: tuple[Flavor, ...]) -> list[str]:
    """Return the tiers of a queue's or cohort's flavors, in their order."""
    used = [name for group in made.spec["resourceGroups"].items() for name in _names(group)]
    tier_of = {flavor.name: flavor.tier.name for flavor in flavors}
    return list(dict.fromkeys(tier_of[name] for name in used if name in tier_of))


def _whole_nvidia(made: Object, flavors: tuple[Flavor, ...]) -> bool:
    """Tell whether a queue has whole cards of NVIDIA's whose exporters gpuplan sets up: training on them is watched."""
    used = {name for group in made.spec["resourceGroups"].items() for name in _names(group)}
    return any(
        pool.sharing.mode is SharingMode.EXCLUSIVE and pool.card.vendor is Vendor.NVIDIA and pool.stack != "external"
        for flavor in flavors
        if flavor.name in used
        for pool in flavor.pools
    )


def _names(group: View) -> list[str]:
    return [flavor["name"].text() for flavor in group["flavors"].items()]


def _numbers(spec: View, flavors: tuple[Flavor, ...]) -> Iterator[tuple[str, View]]:
    """Yield the address and the numbers of each flavor and resource that the flavor really offers."""
    by_name = {flavor.name: flavor for flavor in flavors}
    for group in spec["resourceGroups"].items():
        for listed in group["flavors"].items():
            flavor = by_name.get(listed["name"].text())
            for resource in listed["resources"].items() if flavor is not None else ():
                name = resource["name"].text()
                if flavor is not None and name in flavor.capacity:
                    yield finest((flavor, name), flavors), resource


def _amount(view: View) -> int:
    quantity = view.quantity()
    return quantity.whole if quantity is not None else 0


def _add_quota(
    teams: dict[str, dict[str, Plain]], cluster: str, queue: QueueSaid, made: Object, flavors: tuple[Flavor, ...]
) -> None:
    quotas = teams.setdefault(queue.team, {"namespaces": [], "quotas": {}})["quotas"]
    assert isinstance(quotas, dict)  # noqa: S101 - made two lines above, or so before
    value = quotas.setdefault(queue.task_pool, {})
    owns = queue.service in ("guaranteed", "queued")
    amounts: dict[str, Plain] = {}
    for address, numbers in _numbers(made.spec, flavors):
        floor, borrow, lend = (_amount(numbers[key]) for key in ("nominalQuota", "borrowingLimit", "lendingLimit"))
        if owns and (floor or borrow or lend):
            amounts[address] = {"guaranteed": floor, "borrow": borrow, "lend": lend}
        elif not owns:
            amounts[address] = {"cap": borrow}
    value.setdefault("clusters", {})[cluster] = amounts
    weight = made.spec["fairSharing"]["weight"].quantity()
    if queue.service == "shared" and weight is not None and weight.whole > 1:
        value["weight"] = weight.whole


def _add_shares(
    pools: dict[str, dict[str, Plain]],
    cluster: str,
    inventory: Inventory,
    flavors: tuple[Flavor, ...],
    called: Mapping[str, str],
) -> None:
    """Add what shared task pools own: the numbers of their cohorts. `called` are the task pools by their cohorts' names."""
    for cohort in inventory.of("Cohort"):
        if not cohort.spec["parentName"].exists or not cohort.spec["resourceGroups"].exists:
            continue
        pool = pools.setdefault(
            called.get(cohort.name, cohort.name), {"kind": KINDS["shared"], "service": "shared", "tiers": []}
        )
        pool["tiers"] = in_order(_list(pool["tiers"]), _tiers(cohort, flavors))
        for address, numbers in _numbers(cohort.spec, flavors):
            for key, field in (("pool", "nominalQuota"), ("poolBorrow", "borrowingLimit")):
                amount = _amount(numbers[field])
                if amount:
                    shares = pool.setdefault(key, {"clusters": {}})
                    assert isinstance(shares, dict)  # noqa: S101 - made just above
                    shares["clusters"].setdefault(cluster, {})[address] = amount
