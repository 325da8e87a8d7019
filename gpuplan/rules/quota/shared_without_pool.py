"""A shared task pool that has no cards to share.

Teams in a shared task pool hold its cards and no others. Without `pool`, and without `poolBorrow`, their queues
exist, are active, and never admit a job.

Source: gpuplan's service class `shared`; Kueue, potential quota of a ClusterQueue below an empty Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="quota/shared-without-pool",
    severity=Severity.ERROR,
    summary="A shared task pool that has no cards to share",
    why="Its teams hold the pool's cards only, and it has none: their jobs wait for ever.",
    fix="Give it a number under `pool`, for example `pool: {lab: 16}`.",
    bad="taskPools:\n  notebooks: {kind: experiment, service: shared, tiers: [lab]}",
    good="taskPools:\n  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 16}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared task pool with queues in a cluster where it neither owns nor may borrow a card."""
    for cluster, cohort in cohorts(fleet):
        empty = not any(share.most for share in cohort.shares.values())
        if cohort.task_pool.service is Service.SHARED and cohort.queues and empty:
            teams = listed(queue.team.name for queue in cohort.queues)
            yield DOC.found(
                f"`{cohort.task_pool.name}` has no cards in cluster `{cluster.name}`, where {teams} "
                f"{'has a queue' if len(cohort.queues) == 1 else 'have queues'} in it",
                at=fleet.places.key((*cohort.task_pool.path, "pool")),
            )
