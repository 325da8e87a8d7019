"""A floor that holds as long as others keep their pods large.

Queues that run pods as large as this floor's own take nodes in the same steps and leave the rest whole. Nothing makes
them: their teams may send one-card jobs as well, and enough of those, spread over the nodes, leave no room for a
large pod although the floor is free by count. quota/floor-broken-by-fragmentation is about pods that are small by the
spec; this note is about those that could be.

Source: tried on Kueue 0.19.2 with two 8-card nodes; Kueue #5243, #3211.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.fragmentation import Floor, floors
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import offer, overdrawn, pieces
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="quota/floor-needs-whole-pods",
    severity=Severity.INFO,
    summary="A floor that holds as long as others keep their pods large",
    why="Teams may also send small jobs into a queue made for large ones. Spread over the nodes, they leave no room for "
    "large pods of the others, whose floor is free by count only.",
    fix="Nothing has to change while all of them keep to large pods. A node pool of its own makes the floor safe from everybody.",
    bad="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 8}}\nteams:\n"
    "  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}\n  vision: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
    good="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 8}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 16}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each task pool and cluster with such floors."""
    for cluster in fleet.clusters:
        weak: dict[str, list[Floor]] = {}
        for floor in floors(cluster.flavors, cluster.cohorts):
            spoilt = overdrawn(cluster, floor.flavor, floor.resource)
            if floor.broken and not floor.broken_by_smaller and not spoilt:
                weak.setdefault(floor.task_pool.name, []).append(floor)
        for alike in weak.values():
            yield _finding(fleet, cluster, alike)


def _finding(fleet: Fleet, cluster: Cluster, weak: list[Floor]) -> Diagnostic:
    queues = listed(dict.fromkeys(floor.queue.name for floor in weak))
    where = " and ".join(dict.fromkeys(offer(floor.flavor, floor.resource) for floor in weak))
    size = pieces(max(floor.pod for floor in weak), weak[0].flavor, weak[0].resource)
    return DOC.found(
        f"On {where} in cluster `{cluster.name}`, the floor of {queues} holds "
        f"as long as other queues with pods of {size} run no smaller ones",
        at=fleet.places.key(weak[0].task_pool.path),
    )
