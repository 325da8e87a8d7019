"""Tiers of one task pool that no single pod can use together.

Flavors without a common resource name are separate resource groups, and Kueue chooses a flavor for each group by
itself. A pod that asks for resources of both gets the labels of both flavors as its node selector; where they give
one key two values, the last writer wins, and no node has what the pod asks for.

Source: Kueue #14409.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.queues import Flavor as ReadFlavor
from gpuplan.inventory.scheduling.queues import ResourceGroup, flavors
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Cohort
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts

DOC = RuleDoc(
    id="kueue/label-conflict",
    severity=Severity.INFO,
    summary="Tiers of one task pool that no single pod can use together",
    why="Kueue would give the pod one flavor of each and the labels of both, which no node carries: it stays Pending for ever.",
    fix="Nothing has to change while every pod asks for one resource name only.",
    bad="nodePools:\n  a: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}\n  b: {tier: serve}\n"
    "taskPools:\n  scratch: {tiers: [lab, serve]}",
    good="nodePools:\n  a: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}\n  b: {tier: serve}\n"
    "taskPools:\n  scratch: {tiers: [lab]}\n  spare: {tiers: [serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each task pool in each cluster with such a pair of flavors."""
    for cluster, cohort in cohorts(fleet):
        pair = next(_conflicts(cohort), None) if cohort.queues else None
        if pair:
            key, one, other = pair
            names = [f"`{next(iter(flavor.capacity))}` of `{flavor.name}`" for flavor in (one, other)]
            yield DOC.found(
                f"A pod of `{cohort.task_pool.name}` in cluster `{cluster.name}` that asks for {' and '.join(names)} "
                f"finds no node: `{key}` differs",
                at=fleet.places.value((*cohort.task_pool.path, "tiers")),
            )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield an error for each workload some pods of which need two groups, no two flavors of which can meet on a node."""
    known = flavors(inventory)
    for arrival in arrivals(inventory):
        needed: dict[int, list[ResourceGroup]] = {}
        for pods, group in arrival.needs(inventory):
            needed.setdefault(id(pods), []).append(group)
        pairs = (pair for groups in needed.values() for pair in combinations(groups, 2))
        clash = next(filter(None, (_never_meet(known, *pair) for pair in pairs)), None)
        if clash:
            yield _clash(arrival, *clash)


def _never_meet(
    known: dict[str, ReadFlavor], first: ResourceGroup, second: ResourceGroup
) -> tuple[str, str, str] | None:
    """Return (label key, flavor, flavor) where every flavor of one group contradicts every one of the other."""
    found = None
    for one in first.names:
        for other in second.names:
            mine = known[one].node_labels if one in known else {}
            theirs = known[other].node_labels if other in known else {}
            key = next((key for key, value in mine.items() if theirs.get(key, value) != value), None)
            if key is None:
                return None
            found = (key, one, other)
    return found


def _clash(arrival: Queued, key: str, one: str, other: str) -> Diagnostic:
    return DOC.found(
        f"{arrival.work} gets a flavor of each group of {arrival.queue}, such as `{one}` and `{other}`, "
        f"which give `{key}` two values: no node has both",
        at=arrival.work.object.at_name,
        severity=Severity.ERROR,
        fix="Put what one pod asks for into one resource group, or let the flavors of the groups select the same nodes.",
    )


def _conflicts(cohort: Cohort) -> Iterator[tuple[str, Flavor, Flavor]]:
    """Yield (label key, flavor, flavor) of two groups that give the key different values."""
    for first, second in combinations(cohort.groups, 2):
        for one in first.flavors:
            for other in second.flavors:
                theirs = dict(other.node_labels)
                for key, value in one.node_labels:
                    if theirs.get(key, value) != value:
                        yield key, one, other
