"""Cards that nobody owns.

What no queue and no shared pool owns sits on the root of the quota tree. Everyone who may borrow finds it there, and
nobody can count on it. That is often meant, as a reserve or as food for reclaimable work; this note says how much it
is, so that it is also known.

Source: gpuplan's quota tree, which adds up to the hardware.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import offer, offers, pieces, stranded

DOC = RuleDoc(
    id="quota/unallocated",
    severity=Severity.INFO,
    summary="Cards that nobody owns",
    why="They sit on the root of the quota tree: whoever may borrow can use them, and nobody can count on them.",
    fix="Nothing has to change. Raise a `guaranteed` or a `pool` to give them to somebody.",
    bad="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 8}}}}",
    good="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 16}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each cluster with cards without an owner, unless reclaimable work may take them or all is adopted."""
    for cluster in fleet.clusters:
        found = list(_rest(cluster)) if cluster.own_quota else []
        if found:
            yield DOC.found(
                f"Nobody in cluster `{cluster.name}` owns {', '.join(found)}", at=fleet.places.key(cluster.path)
            )


def _rest(cluster: Cluster) -> Iterator[str]:
    for flavor, resource, item in offers(cluster):
        capacity, rest = flavor.capacity[resource], cluster.quota.root.limits[item].nominal
        food = any(
            cohort.queues and cohort.task_pool.service is Service.RECLAIMABLE and flavor in cohort.flavors
            for cohort in cluster.cohorts
        )
        counts_alone = rest <= capacity  # else a companion of the card's own name is counted with it, which is refused
        if rest > 0 and counts_alone and not food and not stranded(cluster, flavor, resource):
            yield f"{rest} of the {pieces(capacity, flavor, resource)} of {offer(flavor, resource)}"
