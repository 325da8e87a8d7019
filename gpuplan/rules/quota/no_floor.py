"""A queue of a guaranteed task pool without a guarantee.

`guaranteed` means that critical work has its floor at any moment. A queue with `borrow` alone has none: it runs on
what others leave, and its borrowed cards are taken back from it whatever its priority.

Source: Kueue, reclaimWithinCohort takes borrowed quota back from any queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, reach

DOC = RuleDoc(
    id="quota/no-floor",
    severity=Severity.WARNING,
    summary="A queue of a guaranteed task pool that owns no card",
    why="It only borrows, and what it borrows is taken back at any moment. Nothing about it is guaranteed.",
    fix="Give it `guaranteed` cards, or a queue in a `queued` or `reclaimable` task pool.",
    bad="teams:\n  nlp: {quotas: {pretrain: {train: {borrow: 16}}}}   # pretrain is guaranteed",
    good="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each guaranteed queue that reaches something but owns nothing."""
    for cluster, cohort in cohorts(fleet):
        for queue in cohort.queues if cohort.task_pool.service is Service.GUARANTEED else ():
            found = reach(cluster, cohort, queue)
            if found and found.pieces > 0 and not any(amount.guaranteed for amount in queue.amounts.values()):
                yield DOC.found(
                    f"`{queue.name}` owns no card in cluster `{cluster.name}`; it only borrows",
                    at=fleet.places.key(queue.path),
                )
