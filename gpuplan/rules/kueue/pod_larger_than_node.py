"""A pod that no node can hold.

A pod runs on one node, whatever the quota. Kueue checks nodes only where the flavor has a Topology; elsewhere it
admits the job by count, and the pod stays Pending while it holds the quota. The same goes for a job that must sit on
one host as a whole (`topology: {required: kubernetes.io/hostname}`).

Source: Kueue #5243, #3211.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.fitting import Misfit, misfits
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Fleet
from gpuplan.model.fragmentation import nodes_of, on_one_node
from gpuplan.model.queues import TaskPool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of, offer, pieces
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/pod-larger-than-node",
    severity=Severity.ERROR,
    summary="A largest pod that a node cannot hold",
    why="A pod runs on one node. Without one that is large enough it never starts, however much quota there is.",
    fix="Ask for less in one pod and use more pods, or use a tier with larger nodes.",
    bad="nodePools:\n  a: {tier: serve, nodes: 8, cardsPerNode: 4}\n"
    "taskPools:\n  chat: {tiers: [serve], largestJob: {pods: 1, cardsPerPod: 8}}",
    good="nodePools:\n  a: {tier: serve, nodes: 8, cardsPerNode: 4}\n"
    "taskPools:\n  chat: {tiers: [serve], largestJob: {pods: 2, cardsPerPod: 4}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose pod fits no node, or may be admitted where none can hold it."""
    for pool in fleet.task_pools:
        flavors = flavors_of(fleet, pool)
        wanted = on_one_node(pool)
        small = [flavor for flavor in flavors if flavor.counted and _largest(flavor)[0] < wanted]
        if flavors and len(small) == len(flavors):
            yield from () if all(flavor.sharing.shared for flavor in small) else _nowhere(fleet, pool, flavors)
        else:
            yield from _trap(fleet, pool, [flavor for flavor in small if not flavor.levels])


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at the request, or the name, of each workload a pod of which fits no node of its queue's flavors."""
    for one in misfits(inventory):
        own_line = one.request.view.own_line
        at = one.request.view.key_span if own_line else one.arrival.work.object.at_name
        yield DOC.found(_too_large(one), at=at)


def _too_large(one: Misfit) -> str:
    asked = f"A pod of {one.arrival.work} asks for {one.request.amount} `{one.resource}`"
    return f"{asked}, and the largest node that {one.arrival.queue} can give it has {one.largest}"


def _largest(flavor: Flavor) -> tuple[int, str]:
    """Return the most pieces of one resource that a pod can get on one node, and the resource.

    Of a shared card a pod gets one share (share/several-shares-in-a-pod).
    """
    if flavor.sharing.shared:
        return 1, next(iter(flavor.capacity))
    return max((max(nodes_of(flavor, resource)), resource) for resource in flavor.capacity)


def _asks(pool: TaskPool) -> str:
    """Say what has to sit on one node."""
    if on_one_node(pool) == pool.largest_job.per_pod:
        return f"A pod of `{pool.name}` asks for {pool.largest_job.per_pod}"
    return f"A job of `{pool.name}` must sit on one node with all {pool.largest_job.total}"


def _nowhere(fleet: Fleet, pool: TaskPool, flavors: list[Flavor]) -> Iterator[Diagnostic]:
    best = max(flavors, key=_largest)
    most, resource = _largest(best)
    key = "cardsPerPod" if pool.largest_job.per_pod > most else "pods"
    yield DOC.found(
        f"{_asks(pool)}, and the largest node, in {offer(best, resource)}, has {pieces(most, best, resource)}",
        at=point(fleet, (*pool.path, "largestJob", key)),
        also=(Related("cards of that node", point(fleet, (*best.pools[0].path, "cardsPerNode"))),),
    )


def _trap(fleet: Fleet, pool: TaskPool, small: list[Flavor]) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor that takes the pod by count, since it has no Topology, and cannot hold it."""
    for flavor in small:
        most, resource = _largest(flavor)
        tier = pool.tiers.index(flavor.tier.name)
        yield DOC.found(
            f"{_asks(pool)}; {offer(flavor, resource)} has {pieces(most, flavor, resource)} a node "
            "and no topology, so that Kueue would admit it there all the same",
            at=fleet.places.value((*pool.path, "tiers", tier)),
            also=(Related("switched off here", point(fleet, (*flavor.tier.path, "topology"))),),
            fix="Remove `topology: off` from the tier, so that Kueue looks at its nodes, or take it out of the task pool.",
        )
