"""A queue that can never hold a card.

Nothing is guaranteed to it, and there is nothing that it may borrow: by its own numbers, or because nobody lends.
Kueue takes the queue and calls it active; jobs in it wait for ever without a word.

Source: Kueue, potential quota of a ClusterQueue; #1410.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Cohort, Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, reach

DOC = RuleDoc(
    id="quota/zero-quota",
    severity=Severity.WARNING,
    summary="A queue that can never hold a card",
    why="Kueue accepts the queue and calls it active, and every job in it waits for ever.",
    fix="Give it a number, let others lend, or remove it.",
    bad="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 0}}}}",
    good="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each queue whose reach is 0; a shared pool without cards is quota/shared-without-pool."""
    for cluster, cohort in cohorts(fleet):
        for queue in cohort.queues if _has_something_to_give(cohort) else ():
            found = reach(cluster, cohort, queue)
            if found and found.pieces <= 0:
                yield DOC.found(
                    f"`{queue.name}` can never hold anything in cluster `{cluster.name}`",
                    at=fleet.places.key(queue.path),
                )


def _has_something_to_give(cohort: Cohort) -> bool:
    """Tell whether it is the queue's own affair that it gets nothing."""
    shared = cohort.task_pool.service is Service.SHARED
    return not shared or any(share.most for share in cohort.shares.values())
