"""A floor that holds as long as others keep their pods large.

Queues that run pods as large as this floor's own take nodes in the same steps and leave the rest whole. Nothing makes
them: their teams may send one-card jobs as well, and enough of those, spread over the nodes, leave no room for a
large pod although the floor is free by count. quota/floor-broken-by-fragmentation is about pods that are small by the
spec; this note is about those that could be.

Source: tried on Kueue 0.19.2 with two 8-card nodes; Kueue #5243, #3211.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

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
    """Yield one finding for each task pool, flavor and resource with such floors."""
    for cluster in fleet.clusters:
        weak = (
            floor
            for floor in floors(cluster.flavors, cluster.cohorts)
            if floor.broken and not floor.broken_by_smaller and not overdrawn(cluster, floor.flavor, floor.resource)
        )
        for _, alike in groupby(weak, key=lambda floor: (floor.flavor.name, floor.resource, floor.task_pool.name)):
            yield _finding(fleet, cluster, list(alike))


def _finding(fleet: Fleet, cluster: Cluster, weak: list[Floor]) -> Diagnostic:
    first = weak[0]
    queues = listed(floor.queue.name for floor in weak)
    where = f"{offer(first.flavor, first.resource)} in cluster `{cluster.name}`"
    size = pieces(first.pod, first.flavor, first.resource)
    floors_hold = "The floor of" if len(weak) == 1 else "The floors of"
    return DOC.found(
        f"{floors_hold} {queues} on {where} {'holds' if len(weak) == 1 else 'hold'} "
        f"while all others that run pods of {size} or more there run no smaller ones",
        at=fleet.places.key(first.task_pool.path),
    )
