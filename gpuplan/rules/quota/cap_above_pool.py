"""A cap that a shared pool can never fill.

`cap` is the most that one team may hold of a shared task pool. The pool as a whole holds what it owns and what it may
borrow; a cap beyond that limits nothing, and the reader of the file believes in cards that are not there.

Source: Kueue, borrowingLimit of a ClusterQueue against the quota of its Cohort; #672.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, pieces, usable
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/cap-above-pool",
    severity=Severity.WARNING,
    summary="A cap above all that the shared pool may hold",
    why="The pool's own cards and what it may borrow are the limit; the cap never takes effect.",
    fix="Lower the cap, leave it out, or give the pool more.",
    bad="taskPools:\n  notebooks: {service: shared, pool: {lab: 16}}\nteams:\n  nlp: {quotas: {notebooks: {lab: {cap: 28}}}}",
    good="taskPools:\n  notebooks: {service: shared, pool: {lab: 16}}\nteams:\n  nlp: {quotas: {notebooks: {lab: {cap: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cap above what its shared pool owns and may borrow."""
    for _, cohort in cohorts(fleet):
        if cohort.task_pool.service is not Service.SHARED:
            continue
        for flavor, resource, item in usable(cohort):
            share = cohort.shares.get(item)
            most = share.most if share else 0
            for queue in cohort.queues:
                amount = queue.amounts[item]
                if share and 0 < most < amount.cap:
                    yield DOC.found(
                        f"`{queue.name}` may hold {amount.cap}, but `{cohort.task_pool.name}` "
                        f"never has more than {pieces(most, flavor, resource)}",
                        at=point(fleet, (*amount.path, "cap")),
                        also=(Related("what the pool owns", point(fleet, share.path)),),
                    )
