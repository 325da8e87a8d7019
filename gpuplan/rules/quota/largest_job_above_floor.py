"""A guaranteed task pool whose largest job is larger than its floor.

The part above the floor is borrowed. Kueue finds borrowed cards among the idle ones and takes them from reclaimable
work, but never from the floor or the fair share of another queue, whatever the priority: borrowWithinCohort is Never.
Such a job may wait although its task pool is called guaranteed, and once it runs, the borrowed part makes the whole
job a victim when an owner wants its cards back.

Source: Kueue #16049, #10171.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, pieces, reach
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/largest-job-above-floor",
    severity=Severity.INFO,
    summary="A guaranteed queue whose largest job is larger than its floor",
    why="The rest is borrowed: the job waits until that much is idle or reclaimable, and the whole job is stopped when an owner "
    "wants it back.",
    fix="Raise `guaranteed` to the size of the largest job, or accept that only smaller jobs are guaranteed.",
    bad="taskPools:\n  pretrain: {service: guaranteed, largestJob: {pods: 4, cardsPerPod: 8}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 16, borrow: 16}}}}",
    good="taskPools:\n  pretrain: {service: guaranteed, largestJob: {pods: 4, cardsPerPod: 8}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 32, borrow: 16}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each guaranteed queue that can start the largest job only by borrowing."""
    for cluster, cohort in cohorts(fleet):
        wanted = cohort.task_pool.largest_job.total
        for queue in cohort.queues if cohort.task_pool.service is Service.GUARANTEED else ():
            best = max(queue.amounts.values(), key=lambda amount: amount.guaranteed)
            found = reach(cluster, cohort, queue)
            if found and 0 < best.guaranteed < wanted <= found.pieces:
                yield DOC.found(
                    f"The largest job of `{queue.name}` asks for {pieces(wanted, found.flavor, found.resource)}, "
                    f"{wanted - best.guaranteed} more than its floor in cluster `{cluster.name}`",
                    at=point(fleet, (*best.path, "guaranteed")),
                )
