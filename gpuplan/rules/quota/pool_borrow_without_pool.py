"""A shared pool that owns nothing and only borrows.

Its teams share what others leave, and every card of it is taken back as soon as an owner wants it: it is reclaimable
work that stands above the reclaimable.

Source: Kueue, borrowingLimit of a Cohort without nominal quota.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import borrow_path, cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/pool-borrow-without-pool",
    severity=Severity.WARNING,
    summary="A shared pool that owns nothing and only borrows",
    why="Whoever owns the cards takes them back at any moment, so the teams share nothing that they can count on.",
    fix="Give it a number under `pool`, or make the task pool `reclaimable`.",
    bad="taskPools:\n  notebooks: {service: shared, tiers: [lab], poolBorrow: {lab: 16}}",
    good="taskPools:\n  notebooks: {service: shared, tiers: [lab], pool: {lab: 8}, poolBorrow: {lab: 8}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared task pool that may borrow in a cluster but owns nothing there."""
    for cluster, cohort in cohorts(fleet):
        borrowing = [share for share in cohort.shares.values() if share.borrow]
        if borrowing and not any(share.nominal for share in cohort.shares.values()):
            yield DOC.found(
                f"`{cohort.task_pool.name}` owns no card in cluster `{cluster.name}`; it only borrows",
                at=point(fleet, borrow_path(borrowing[0])),
            )
