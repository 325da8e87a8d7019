"""A floor that comes back only after a long drain.

A floor that others use while it is idle returns as fast as its slowest victim goes. Stateful pods on cards that are
not theirs take their drain time for that; "at any moment" then means that many seconds later.

Source: Kubernetes, terminationGracePeriodSeconds; Kueue, preemption.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Cohort, FlavorResource
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, overdrawn, usable
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="stateful/slow-return",
    severity=Severity.INFO,
    summary="A floor that comes back only after a long drain",
    why="Stateful pods on cards that are not theirs hand over their state first, and the owner waits for as long.",
    fix="Lower `drainSeconds`, let the task pool borrow nothing, or accept that these floors return so slowly.",
    bad="taskPools:\n  chat: {service: queued, tiers: [serve], stateful: {drainSeconds: 1800}}\n"
    "teams:\n  nlp: {quotas: {chat: {serve: {guaranteed: 4, borrow: 4}}}}",
    good="taskPools:\n  chat: {service: queued, tiers: [serve], stateful: {drainSeconds: 120}}\n"
    "teams:\n  nlp: {quotas: {chat: {serve: {guaranteed: 4, borrow: 4}}}}",
)

LONG = 300
"""Seconds; the default of `drainSeconds`, which nobody has to be told of."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stateful task pool with a long drain that can stand on floors of others."""
    for cluster, cohort in cohorts(fleet):
        pool = cohort.task_pool
        if pool.stateful and pool.drain_seconds > LONG:
            waiting = dict.fromkeys(
                name for item in _foreign(cluster, cohort) for name in _floors(cluster, cohort, item)
            )
            if waiting:
                yield DOC.found(
                    f"Floors of {listed(waiting)} in cluster `{cluster.name}` may return "
                    f"only after {pool.drain_seconds} s, when `{pool.name}` has handed over",
                    at=point(fleet, (*pool.path, "stateful", "drainSeconds")),
                )


def _foreign(cluster: Cluster, cohort: Cohort) -> Iterator[FlavorResource]:
    """Yield the flavors and resources of which its queues may hold more than they or their pool own."""
    for flavor, resource, item in usable(cohort):
        own = cohort.shares[item].nominal if item in cohort.shares else 0
        for queue in cohort.queues if not overdrawn(cluster, flavor, resource) else ():
            if cluster.quota.potential(queue.name, item) > own + queue.amounts[item].guaranteed:
                yield item
                break


def _floors(cluster: Cluster, cohort: Cohort, item: FlavorResource) -> Iterator[str]:
    """Yield the task pools, but for this one, that own some of it."""
    for other in cluster.cohorts:
        floors = any(item in queue.amounts and queue.amounts[item].guaranteed for queue in other.queues)
        if other is not cohort and floors:
            yield other.task_pool.name
