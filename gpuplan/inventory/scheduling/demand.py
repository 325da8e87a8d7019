"""Work against the most that its queue could ever give it: above that it is never admitted.

All pods of a pod set get one flavor of a resource group. So its demand is held against each flavor alone, with all that could be
borrowed, and never against their sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.diagnostics import Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.kueue_settings import settings
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.queues import ClusterQueue, ResourceGroup, cohorts, flavors
from gpuplan.inventory.scheduling.rights import Rights, rights
from gpuplan.inventory.scheduling.workloads import PodSet, Workload
from gpuplan.quantity import Quantity

Demands = Mapping[str, Quantity]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """A workload that no flavor is large enough for."""

    work: Workload
    queue: str
    resource: str
    flavor: str
    """The one that could give most of it; empty where all pod sets together are more than all flavors have."""
    asked: str
    """`3 x 8 = 24`."""
    demand: Quantity
    best: Quantity
    at: Span
    sure: bool
    """Whether nobody can lend more: a cohort with a single member may have others that are kept elsewhere."""


def shortages(inventory: Inventory) -> Iterator[Shortage]:
    """Yield the first shortage of each workload that arrives in a queue of the inventory."""
    if inventory.assumed.partial:
        return
    tree = rights(inventory)
    for arrival in arrivals(inventory):
        found = [_shortage(inventory, tree, arrival, pods, group) for pods, group in arrival.needs(inventory)]
        first = next((one for one in (*found, _together(inventory, tree, arrival)) if one is not None), None)
        if first is not None:
            yield first


def _together(inventory: Inventory, tree: Rights, arrival: Queued) -> Shortage | None:
    """Return a resource of which all pod sets ask for more than all flavors could give, each the most that it could."""
    if len(arrival.work.pod_sets) == 1:
        return None
    totals: dict[str, Quantity] = {}
    groups = {}
    for pods, group in arrival.needs(inventory):
        for name, demand in _demands(inventory, pods, group).items():
            totals[name] = totals.get(name, Quantity(0)) + demand
            groups[name] = group
    for name, total in totals.items():
        reach = sum(tree.potential(arrival.queue.name, (flavor, name)) for flavor in groups[name].names)
        if reach < total.nanos:
            return Shortage(
                work=arrival.work,
                queue=str(arrival.queue),
                resource=name,
                flavor="",
                asked=str(total),
                demand=total,
                best=Quantity(reach, total.binary),
                at=arrival.work.object.at_name,
                sure=not _may_have_others(inventory, tree, arrival.queue),
            )
    return None


def _shortage(
    inventory: Inventory, tree: Rights, arrival: Queued, pods: PodSet, group: ResourceGroup
) -> Shortage | None:
    """Return what is short in every flavor that the pods may go to; None where one has it all."""
    demands = _demands(inventory, pods, group)
    open_ones = [name for name in group.names if _may_go(inventory, pods, name)]
    reach = {
        (name, resource): tree.potential(arrival.queue.name, (name, resource))
        for name in open_ones
        for resource in demands
    }
    for resource, demand in demands.items():
        if open_ones and all(reach[name, resource] < demand.nanos for name in open_ones):
            best = max(open_ones, key=lambda name: reach[name, resource])
            return Shortage(
                work=arrival.work,
                queue=str(arrival.queue),
                resource=resource,
                flavor=best,
                asked=_asked(pods, demand),
                demand=demand,
                best=Quantity(reach[best, resource], demand.binary),
                at=pods.at_count.key_span if pods.at_count else arrival.work.object.at_name,
                sure=not _may_have_others(inventory, tree, arrival.queue),
            )
    return None


def _may_have_others(inventory: Inventory, tree: Rights, queue: ClusterQueue) -> bool:
    written = {cohort.name for cohort in cohorts(inventory)}
    return bool(queue.cohort) and queue.cohort not in written and tree.members(queue.cohort) == 1


def _demands(inventory: Inventory, pods: PodSet, group: ResourceGroup) -> Demands:
    """Return what all pods ask for together, cards first; what Kueue counts under another name is left out."""
    rules, cards = settings(inventory), inventory.catalog.accelerators
    names = [name for name in pods.requests if name in group.covered and tuple(rules.counted(name)) == (name,)]
    return {name: pods.requests[name].amount * pods.count for name in sorted(names, key=lambda name: name not in cards)}


def _may_go(inventory: Inventory, pods: PodSet, flavor: str) -> bool:
    """Tell whether the pods' selector allows a flavor; Kueue looks at the flavor's own keys only."""
    known = flavors(inventory).get(flavor)
    labels = known.node_labels if known else {}
    return all(pods.node_selector.get(key, value) == value for key, value in labels.items())


def _asked(pods: PodSet, demand: Quantity) -> str:
    if pods.count == 1:
        return str(demand)
    return f"{pods.count} x {Quantity(demand.nanos // pods.count, demand.binary)} = {demand}"
