"""A team that cannot start its task pool's largest job.

Other teams can, this one cannot: with all that it owns and may borrow it reaches less in every flavor. Its users see
a job that other teams run wait for ever.

Source: Kueue #102, #1410; `potential` of a ClusterQueue (reason ExceedsMaxQuota).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import best_reach, offer, pieces, reaches

DOC = RuleDoc(
    id="kueue/largest-job-beyond-quota",
    severity=Severity.INFO,
    summary="A team that cannot start its task pool's largest job",
    why="Other teams can. Here the job is more than the queue owns and can ever borrow, and Kueue keeps it pending for ever.",
    fix="Raise the team's `guaranteed`, `borrow` or `cap`, or tell it that its jobs have to be smaller.",
    bad="taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 4, cardsPerPod: 8}}\nteams:\n"
    "  nlp: {quotas: {pretrain: {train: {guaranteed: 32}}}}\n  vision: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
    good="taskPools:\n  pretrain: {tiers: [train], largestJob: {pods: 4, cardsPerPod: 8}}\nteams:\n"
    "  nlp: {quotas: {pretrain: {train: {guaranteed: 32}}}}\n"
    "  vision: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 24}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each queue that reaches less than the largest job, where another queue reaches it."""
    for pool in fleet.task_pools:
        best, wanted = best_reach(fleet, pool), pool.largest_job.total
        for one in reaches(fleet, pool) if best and best.reach.pieces >= wanted else ():
            if 0 < one.reach.pieces < wanted:
                flavor, resource = one.reach.flavor, one.reach.resource
                yield DOC.found(
                    f"The largest job of `{pool.name}` asks for {wanted}, and `{one.queue.name}` never has more than "
                    f"{pieces(one.reach.pieces, flavor, resource)} in cluster `{one.cluster.name}`, in {offer(flavor, resource)}",
                    at=fleet.places.key(one.queue.path),
                )
