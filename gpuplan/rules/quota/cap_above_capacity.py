"""A cap above all the cards there are.

Reclaimable work takes whatever is idle, by default all of it. A cap above the capacity of the flavor limits nothing.

Source: Kueue, borrowingLimit of a ClusterQueue; #672.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, offer, pieces, usable
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/cap-above-capacity",
    severity=Severity.WARNING,
    summary="A cap above all the cards there are",
    why="It never takes effect: there are not that many cards.",
    fix="Lower the cap, or leave it out: reclaimable work may then use all that is idle.",
    bad="nodePools:\n  a: {tier: lab, nodes: 1, cardsPerNode: 8}\nteams:\n  nlp: {quotas: {scratch: {lab: {cap: 16}}}}",
    good="nodePools:\n  a: {tier: lab, nodes: 1, cardsPerNode: 8}\nteams:\n  nlp: {quotas: {scratch: {lab: {cap: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cap of reclaimable work above the capacity of its flavor."""
    for _, cohort in cohorts(fleet):
        if cohort.task_pool.service is Service.RECLAIMABLE:
            for flavor, resource, item in usable(cohort):
                for queue in cohort.queues:
                    amount, capacity = queue.amounts[item], flavor.capacity[resource]
                    if amount.cap > capacity and flavor.counted:
                        yield DOC.found(
                            f"`{queue.name}` may hold {amount.cap} of {offer(flavor, resource)}, "
                            f"which has {pieces(capacity, flavor, resource)}",
                            at=point(fleet, (*amount.path, "cap")),
                        )
