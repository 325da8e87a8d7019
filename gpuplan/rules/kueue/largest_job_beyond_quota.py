"""A team that cannot start its task pool's largest job.

Other teams can, this one cannot: with all that it owns and may borrow it reaches less in every flavor. Its users see
a job that other teams run wait for ever.

Source: Kueue #102, #1410; `potential` of a ClusterQueue (reason ExceedsMaxQuota).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import pieces, reaches
from gpuplan.rules.walk import listed, point

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

NAMED = 8
"""Queues that a finding points at."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each task pool with queues that reach less than its largest job while others reach it."""
    for pool in fleet.task_pools:
        wanted = pool.largest_job.total
        every = list(reaches(fleet, pool)) if wanted > 1 else []
        short = [one for one in every if 0 < one.pieces < wanted]
        if short and any(one.pieces >= wanted for one in every):
            names = listed(dict.fromkeys(one.queue.name for one in short))
            yield DOC.found(
                f"The largest job of `{pool.name}` asks for {wanted}, which {names} can never hold",
                at=point(fleet, (*pool.path, "largestJob")),
                also=tuple(
                    Related(
                        f"never has more than {pieces(one.pieces, one.flavor, one.resource)} in cluster `{one.cluster.name}`",
                        fleet.places.key(one.queue.path),
                    )
                    for one in short[:NAMED]
                ),
            )
