"""A guaranteed task pool whose largest job is larger than its floor.

The part above the floor is borrowed. Kueue finds borrowed cards among the idle ones and takes them from reclaimable
work, but never from the floor or the fair share of another queue, whatever the priority: borrowWithinCohort is Never.
Such a job may wait although its task pool is called guaranteed, and once it runs, the borrowed part makes the whole
job a victim when an owner wants its cards back.

Source: Kueue #16049, #10171.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service, TeamQueue
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import reaches
from gpuplan.rules.walk import listed, point

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

NAMED = 8
"""Queues that a finding points at."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each guaranteed task pool with queues that can start its largest job only by borrowing."""
    for pool in fleet.task_pools:
        wanted = pool.largest_job.total
        if pool.service is Service.GUARANTEED and wanted > 1:
            short = [
                (one, floor) for one in reaches(fleet, pool) if 0 < (floor := _floor(one.queue)) < wanted <= one.pieces
            ]
            if short:
                names = listed(dict.fromkeys(one.queue.name for one, _ in short))
                yield DOC.found(
                    f"The largest job of `{pool.name}` asks for {wanted}, more than the floor of {names}",
                    at=point(fleet, (*pool.path, "largestJob")),
                    also=tuple(
                        Related(f"owns {floor} in cluster `{one.cluster.name}`", fleet.places.key(one.queue.path))
                        for one, floor in short[:NAMED]
                    ),
                )


def _floor(queue: TeamQueue) -> int:
    """Return what a queue owns in its best flavor."""
    return max(amount.guaranteed for amount in queue.amounts.values())
