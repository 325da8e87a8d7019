"""A largest job that no queue of its task pool can ever admit.

A queue reaches what it owns and what it may borrow, and never more than others can lend. If that is less than the job
in every flavor, Kueue leaves the job pending for ever and says no more than "insufficient quota".

Source: Kueue #102, #1410; `potential` of a ClusterQueue (reason ExceedsMaxQuota).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import fits_the_hardware, offer, pieces, reaches
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/largest-job-never-admitted",
    severity=Severity.ERROR,
    summary="A largest job that no queue of its task pool can ever admit",
    why="It is more than the queue owns and can ever borrow, in every flavor. Kueue keeps it pending for ever.",
    fix="Raise `guaranteed`, `borrow` or the pool to the size of the job, or state a smaller largest job.",
    bad="taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 4, cardsPerPod: 8}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 16}}}}",
    good="taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 4, cardsPerPod: 8}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 16, borrow: 16}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose largest job exceeds the reach of all its queues."""
    for pool in fleet.task_pools:
        wanted = pool.largest_job.total
        if wanted > 1 and fits_the_hardware(fleet, pool):
            best = max(reaches(fleet, pool), key=lambda one: one.pieces, default=None)
            if best and 0 < best.pieces < wanted:
                yield DOC.found(
                    f"The largest job of `{pool.name}` asks for {wanted}, and the queue that reaches furthest, "
                    f"`{best.queue.name}`, has {pieces(best.pieces, best.flavor, best.resource)} "
                    f"in {offer(best.flavor, best.resource)}",
                    at=point(fleet, (*pool.path, "largestJob")),
                )
