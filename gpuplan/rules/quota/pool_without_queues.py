"""A shared pool that owns cards for nobody.

`pool` sets cards aside for the teams of a shared task pool. Without a team that has it in its `quotas`, they are
nobody's: others may borrow them, no one may count on them.

Source: Kueue, a Cohort without ClusterQueues.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, offer, pieces, usable
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/pool-without-queues",
    severity=Severity.WARNING,
    summary="A shared pool that owns cards for nobody",
    why="No team has a queue in it there, so the cards that it owns can only be borrowed by others.",
    fix="Name the task pool in the `quotas` of a team, or remove the number.",
    bad="taskPools:\n  notebooks: {service: shared, pool: {lab: 16}}   # in no team's quotas",
    good="taskPools:\n  notebooks: {service: shared, pool: {lab: 16}}\nteams:\n  nlp: {quotas: {notebooks: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each number that a shared pool without queues owns."""
    for cluster, cohort in cohorts(fleet):
        for flavor, resource, item in usable(cohort) if not cohort.queues else ():
            share = cohort.shares.get(item)
            if share and share.nominal:
                yield DOC.found(
                    f"`{cohort.task_pool.name}` owns {pieces(share.nominal, flavor, resource)} of {offer(flavor, resource)} "
                    f"in cluster `{cluster.name}`, where no team has a queue in it",
                    at=point(fleet, share.path),
                )
