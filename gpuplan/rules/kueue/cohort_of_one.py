"""A cohort with a single queue.

Kueue makes a cohort of any name that a queue mentions, without a word. With one member there is nobody to borrow from or to
lend to, and limits of either kind do nothing. It may be the start of something, or a slip in the name.

Source: Kueue #6465, #3644.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import ClusterQueue, cluster_queues, cohorts
from gpuplan.inventory.scheduling.rights import rights
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="kueue/cohort-of-one",
    severity=Severity.INFO,
    summary="A cohort with a single queue",
    why="There is nobody to borrow from or to lend to: limits of borrowing and lending, and reclaiming, do nothing.",
    fix="Give other queues the same cohort, or leave it out.",
    bad="kind: ClusterQueue\nmetadata: {name: a}\nspec: {cohort: lonely}",
    good="kind: ClusterQueue\nmetadata: {name: a}\nspec: {cohort: org}\n---\n"
    "kind: ClusterQueue\nmetadata: {name: b}\nspec: {cohort: org}",
)

_FEW = 200
"""Cohorts among which a name that was misspelt is looked for: where every queue has its own, none was."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note for each queue that is alone in a cohort which nobody wrote an object for."""
    tree, written = rights(inventory), {cohort.name for cohort in cohorts(inventory)}
    if inventory.assumed.partial:
        return
    queues = [queue for queue in cluster_queues(inventory) if queue.cohort]
    named = written | {queue.cohort for queue in queues}
    for queue in queues:
        if tree.members(queue.cohort) == 1 and queue.cohort not in written:
            yield _finding(queue, nearest(queue.cohort, named) if len(named) <= _FEW else None)


def _finding(queue: ClusterQueue, near: str | None) -> Diagnostic:
    return DOC.found(
        f"{queue} is alone in cohort `{queue.cohort}`",
        at=queue.parent.key_span,
        fix=f"Did you mean {near!r}? If not: give other queues the same cohort, or leave it out." if near else None,
    )
