"""A queue that lends more than it owns.

`lend` says how many of the guaranteed cards others may use while they are idle. A queue cannot lend what it does not
own; Kueue's webhook refuses a lendingLimit above the nominalQuota, and Argo CD would stop in the middle of a sync.

Source: Kueue webhook of ClusterQueue; seen on Kueue 0.19.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/lend-above-guaranteed",
    severity=Severity.ERROR,
    summary="A queue that lends more than it owns",
    why="Kueue's webhook refuses a lendingLimit above the nominalQuota.",
    fix="Lower `lend`, or leave it out: all guaranteed cards are then lent while idle.",
    bad="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, lend: 16}}}}",
    good="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, lend: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each amount whose `lend` is above its `guaranteed`."""
    for _, cohort in cohorts(fleet):
        for queue in cohort.queues:
            for amount in queue.amounts.values():
                if amount.lend > amount.guaranteed:
                    yield DOC.found(
                        f"`{queue.name}` lends {amount.lend}, but owns {amount.guaranteed}",
                        at=point(fleet, (*amount.path, "lend")),
                    )
