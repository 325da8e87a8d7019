"""A job of several pods that is larger than any one flavor.

All pods of a job go to one flavor. Twenty-four cards in two flavors of eight and sixteen are not twenty-four cards
for one job: Kueue looks at each flavor alone, finds none large enough, and the job waits for ever.

Source: Kueue #3909.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskPool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of, offer, pieces
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/gang-larger-than-any-flavor",
    severity=Severity.ERROR,
    summary="A largest job that is larger than any one flavor",
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
        if offered and pool.largest_job.pods > 1:
            flavor, resource = max(offered, key=lambda one: one[0].capacity[one[1]])
            best = flavor.capacity[resource]
            if pool.largest_job.total > best:
                yield DOC.found(
                    f"The largest job of `{pool.name}` asks for {_asked(pool)}, "
                    f"and the largest flavor, {offer(flavor, resource)}, has {pieces(best, flavor, resource)}",
                    at=point(fleet, (*pool.path, "largestJob")),
                )


def _asked(pool: TaskPool) -> str:
    job = pool.largest_job
    return f"{job.pods} x {job.per_pod} = {job.total}"
