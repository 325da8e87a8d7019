"""A tier of a task pool on which no queue of it may hold a card.

The task pool lists the tier, but every team's number for it is 0 and nothing can be borrowed there. Kueue passes over
the flavor each time, so that a fallback to the tier, or a job that asks for its resource name, never happens.

Source: Kueue, potential quota of a ClusterQueue in one flavor.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Cohort, FlavorResource, Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, overdrawn, usable

DOC = RuleDoc(
    id="queue/tier-never-reached",
    severity=Severity.WARNING,
    summary="A tier on which no queue of the task pool may hold a card",
    why="All its queues have 0 there and can borrow nothing, so no job of the task pool ever runs on the tier.",
    fix="Give a team a number for the tier, or take the tier out of the task pool.",
    bad="taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}\n"
    "teams:\n  nlp: {quotas: {nightly: {serve: {guaranteed: 4}}}}",
    good="taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}\n"
    "teams:\n  nlp: {quotas: {nightly: {serve: {guaranteed: 4}, train: {borrow: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier that no queue reaches in any cluster, in a task pool that reaches others."""
    reached: dict[str, dict[str, bool]] = {}
    for cluster, cohort in cohorts(fleet):
        tiers = reached.setdefault(cohort.task_pool.name, {})
        for flavor, resource, item in usable(cohort) if cohort.queues else ():
            yes = (
                overdrawn(cluster, flavor, resource)
                or _capped_without_pool(cohort, item)
                or any(cluster.quota.potential(queue.name, item) > 0 for queue in cohort.queues)
            )
            tiers[flavor.tier.name] = tiers.get(flavor.tier.name, False) or yes
    for pool in fleet.task_pools:
        tiers = reached.get(pool.name, {})
        for index, tier in enumerate(pool.tiers):
            if any(tiers.values()) and not tiers.get(tier, True):
                yield DOC.found(
                    f"No queue of `{pool.name}` may hold a card of tier `{tier}`",
                    at=fleet.places.value((*pool.path, "tiers", index)),
                )


def _capped_without_pool(cohort: Cohort, item: FlavorResource) -> bool:
    """Tell whether a team has a cap where its shared pool owns nothing, which is quota/cap-without-pool."""
    share = cohort.shares.get(item)
    empty = cohort.task_pool.service is Service.SHARED and not (share and share.most)
    return empty and any(queue.amounts[item].cap for queue in cohort.queues)
