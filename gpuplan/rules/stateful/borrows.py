"""Stateful work on borrowed cards.

Borrowed cards go back to their owner at once. A serving pod on them is evicted with its KV cache and its open
conversations, and nothing in the numbers of a queue says which of its pods stand on the borrowed part.

Source: gpuplan's stateful task pools, which borrow nothing unless asked; Kueue, reclaimWithinCohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="stateful/borrows",
    severity=Severity.WARNING,
    summary="Stateful work on borrowed cards",
    why="When the owner wants its cards back, a serving pod is evicted with its state.",
    fix="Remove `borrow`, and raise `guaranteed` to what the service needs.",
    bad="taskPools:\n  chat: {service: guaranteed, stateful: {drainSeconds: 300}}\n"
    "teams:\n  nlp: {quotas: {chat: {serve: {guaranteed: 8, borrow: 4}}}}",
    good="taskPools:\n  chat: {service: guaranteed, stateful: {drainSeconds: 300}}\n"
    "teams:\n  nlp: {quotas: {chat: {serve: {guaranteed: 12}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each number that a queue of a stateful task pool may borrow."""
    for _, cohort in cohorts(fleet):
        if cohort.task_pool.stateful and cohort.task_pool.service.owns:
            for queue in cohort.queues:
                for amount in queue.amounts.values():
                    if amount.borrow:
                        yield DOC.found(
                            f"`{queue.name}` holds state and may borrow {amount.borrow}",
                            at=point(fleet, (*amount.path, "borrow")),
                        )
