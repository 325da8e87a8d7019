"""A cap on cards of which the shared pool owns nothing.

A team of a shared task pool holds cards of that pool and no others. With a cap on a tier that the pool neither owns
nor may borrow from, the team could never hold one; and Kueue, which knows no limit where a Cohort states none, would
let the pool borrow there without end.

Source: Kueue, Cohort without a quota for a flavor; design of the service class `shared`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, offer, usable
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/cap-without-pool",
    severity=Severity.ERROR,
    summary="A cap on cards of which the shared pool owns nothing",
    why="Teams of a shared task pool hold its cards only. Here it has none and may not borrow any, so the cap promises nothing.",
    fix="Give the pool a number under `pool` or `poolBorrow`, or remove the cap.",
    bad="taskPools:\n  notebooks: {service: shared, tiers: [lab, desk], pool: {desk: 16}}\n"
    "teams:\n  nlp: {quotas: {notebooks: {lab: {cap: 8}}}}",
    good="taskPools:\n  notebooks: {service: shared, tiers: [lab, desk], pool: {desk: 16, lab: 8}}\n"
    "teams:\n  nlp: {quotas: {notebooks: {lab: {cap: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cap where the pool has nothing; one that has nothing at all is quota/shared-without-pool."""
    for _, cohort in cohorts(fleet):
        shares = cohort.shares
        if cohort.task_pool.service is not Service.SHARED or not any(share.most for share in shares.values()):
            continue
        for flavor, resource, item in usable(cohort):
            share = shares.get(item)
            for queue in cohort.queues if not share or not share.most else ():
                amount = queue.amounts[item]
                if amount.cap:
                    yield DOC.found(
                        f"`{queue.name}` may hold {amount.cap} of {offer(flavor, resource)}, "
                        f"of which `{cohort.task_pool.name}` owns nothing",
                        at=point(fleet, (*amount.path, "cap")),
                    )
