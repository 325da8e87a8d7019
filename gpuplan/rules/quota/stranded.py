"""Cards that no queue can ever use.

All queues of a flavor together, at the most that each may own and borrow, stay below the hardware. The difference can
never run a job, however many wait: it was bought and is heated for nothing. The usual reasons are a number of one
machine written for two, or a task pool that lost a tier.

Source: Kueue, borrowingLimit and nominalQuota over a cohort tree; Kueue #706, AI-Hypercomputer/xpk #158.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.adopted_quota import unsettled
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import pieces, stranded
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/stranded",
    severity=Severity.WARNING,
    summary="Cards that no queue can ever use",
    why="All queues together, with all that they may borrow, reach less than the nodes offer. The rest never runs a job.",
    fix="Raise a `guaranteed`, a `pool` or a `borrow`, or give a reclaimable task pool the tier: it takes what is idle.",
    bad="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
    good="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor with such cards, once the fleet has teams; tiers of no task pool are tier/unused."""
    used = {tier for pool in fleet.task_pools for tier in pool.tiers}
    for cluster in fleet.clusters if fleet.teams else ():
        shared = unsettled(cluster.flavors, cluster.adopted)
        for flavor in cluster.flavors:
            alone = (resource for resource in flavor.capacity if (flavor.name, resource) not in shared)
            lost = {resource: stranded(cluster, flavor, resource) for resource in alone}
            if flavor.tier.name in used and any(lost.values()):
                parts = [
                    f"{number} of the {pieces(flavor.capacity[resource], flavor, resource)}"
                    for resource, number in lost.items()
                    if number
                ]
                yield DOC.found(
                    f"Of `{flavor.name}` in cluster `{cluster.name}`, {', '.join(parts)} can never be used: "
                    "its queues reach no more together",
                    at=point(fleet, (*flavor.pools[0].path, "nodes")),
                )
