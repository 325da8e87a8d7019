"""A job that is larger than any one flavor.

All pods of a pod set go to one flavor. Twenty-four cards in two flavors of eight and sixteen are not twenty-four cards
for one job: Kueue looks at each flavor alone, finds none large enough, and the job waits for ever.

Source: Kueue #3909.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.demand import Shortage, shortages
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskPool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of, offer, pieces
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="plan/gang-larger-than-any-flavor",
    severity=Severity.ERROR,
    summary="A job that is larger than any one flavor",
    why="All pods of a job go to one flavor; cards of several flavors do not add up. Such a job waits for ever.",
    fix="Make the job smaller, or add nodes to one of the flavors.",
    bad="nodePools:\n  small: {tier: train, card: h100-sxm-80gb, nodes: 1, cardsPerNode: 8}\n"
    "  large: {tier: train, card: h200-141gb, nodes: 2, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 3, cardsPerPod: 8}}",
    good="nodePools:\n  small: {tier: train, card: h100-sxm-80gb, nodes: 1, cardsPerNode: 8}\n"
    "  large: {tier: train, card: h200-141gb, nodes: 2, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 2, cardsPerPod: 8}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose largest job, of several pods, exceeds its largest flavor."""
    for pool in fleet.task_pools:
        offered = [(flavor, resource) for flavor in flavors_of(fleet, pool) for resource in flavor.capacity]
        if offered and pool.largest_job.pods > 1 and all(flavor.counted for flavor, _ in offered):
            flavor, resource = max(offered, key=lambda one: one[0].capacity[one[1]])
            best = flavor.capacity[resource]
            if pool.largest_job.total > best:
                yield DOC.found(
                    f"The largest job of `{pool.name}` asks for {_asked(pool)}, "
                    f"and the largest flavor, {offer(flavor, resource)}, has {pieces(best, flavor, resource)}",
                    at=point(fleet, (*pool.path, "largestJob")),
                )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each workload of a queue whose pods no flavor could ever hold, borrowing included."""
    for one in shortages(inventory):
        yield DOC.found(_told(one), at=one.at, severity=None if one.sure else Severity.WARNING)


def _told(one: Shortage) -> str:
    work = f"{one.work} asks for {one.asked} `{one.resource}`"
    if not one.flavor:
        return f"{work} in all, and the flavors of {one.queue} have {one.best} together ({one.demand} > {one.best})"
    return f"{work}, and the largest flavor of {one.queue}, `{one.flavor}`, has {one.best} ({one.demand} > {one.best})"


def _asked(pool: TaskPool) -> str:
    job = pool.largest_job
    return f"{job.pods} x {job.per_pod} = {job.total}"
