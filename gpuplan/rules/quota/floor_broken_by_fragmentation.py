"""A floor in cards that is not a floor in nodes.

Kueue counts cards, nodes hold pods. Pods of a few cards, all within the rights of their queues, can sit on so many
nodes that a pod of many cards finds no node with room, although its queue's floor is free by count. With a Topology,
Kueue keeps such a job waiting; without one it admits the job, and its pod stays Pending while it holds the quota.

The finding takes the worst placement of all others: their floors and what shared pools own, in pods of any size up to
their task pool's largest. Reclaimable work and borrowed cards do not count, since they give way; but a queued floor
reclaims only from lower priorities, so against it what guaranteed and queued work may borrow does count. Pods as
large as the floor's own are taken to keep their size here; quota/floor-needs-whole-pods says where that matters.

Not covered: how large a block or rack is, the queue's own smaller jobs, nodes that are down, and pods outside Kueue.

Source: tried on Kueue 0.19.2 with two 8-card nodes; Kueue #5243, #3211.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.fragmentation import Floor, Holder, floors, nodes_of
from gpuplan.model.queues import Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import offer, overdrawn, pieces
from gpuplan.rules.walk import point
from gpuplan.words import counted

DOC = RuleDoc(
    id="quota/floor-broken-by-fragmentation",
    severity=Severity.WARNING,
    summary="A floor that smaller pods of others can break",
    why="Small pods within their own rights can sit on so many nodes that the floor's pods find no node with room. "
    "They wait although their cards are free by count.",
    fix="Give the floor a node pool of its own, or the smaller pods a tier of their own, or lower their numbers on this tier.",
    bad="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 8}}\n"
    "  notebooks: {service: shared, tiers: [train], pool: {train: 2}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}, notebooks: {}}}",
    good="nodePools:\n  a: {tier: train, nodes: 1, cardsPerNode: 8}\n  b: {tier: lab, nodes: 1, cardsPerNode: 8}\n"
    "taskPools:\n  pretrain: {service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 8}}\n"
    "  notebooks: {service: shared, tiers: [lab], pool: {lab: 2}}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}, notebooks: {}}}",
)

NAMED = 8
"""Others that a finding names, the largest first."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each floor that pods smaller than its own can break."""
    for cluster in fleet.clusters:
        for floor in floors(cluster.flavors, cluster.cohorts):
            if floor.broken_by_smaller and not overdrawn(cluster, floor.flavor, floor.resource):
                yield _finding(fleet, cluster, floor)


def _finding(fleet: Fleet, cluster: Cluster, floor: Floor) -> Diagnostic:
    flavor, resource, service = floor.flavor, floor.resource, floor.task_pool.service
    amount = floor.queue.amounts[flavor.name, resource]
    small = [holder for holder in floor.holders if holder.pod < floor.pod]
    return DOC.found(
        f"The floor of `{floor.queue.name}` holds {counted(floor.pods, 'pod')} of {pieces(floor.pod, flavor, resource)}, but "
        f"{'smaller pods of ' if small else ''}others can leave room for {floor.left_beside_whole} "
        f"on {offer(flavor, resource)} in cluster `{cluster.name}`",
        at=point(fleet, (*amount.path, "guaranteed")),
        detail=f"{DOC.why} {_waits(floor)}",
        also=tuple(
            Related(_said(holder, holder.keeps(service)), fleet.places.key(holder.path))
            for holder in (small or floor.holders)[:NAMED]
        ),
        fix=_ways_out(floor),
    )


def _waits(floor: Floor) -> str:
    """Say what happens to the job, and what a queued floor cannot take back."""
    waits = (
        "Kueue keeps such a job waiting until the nodes are clear."
        if floor.flavor.levels
        else "Without a topology Kueue admits such a job, and its pods stay Pending."
    )
    if floor.task_pool.service is Service.QUEUED:
        waits += (
            " A queued floor takes nothing back from guaranteed and queued work, so what they may borrow counts too."
        )
    return waits


def _said(holder: Holder, keeps: int) -> str:
    size = "single pieces" if holder.pod == 1 else f"pods of up to {holder.pod}"
    return f"`{holder.name}` may keep {keeps} in {size}"


def _ways_out(floor: Floor) -> str:
    """Say what would make the floor safe, with numbers."""
    node = max(nodes_of(floor.flavor, floor.resource))
    own = -(-floor.pods // max(node // floor.pod, 1))
    spare = (
        f"keep smaller pods on this tier to {floor.tolerable_smaller} in all (they may keep {floor.smaller})"
        if floor.smaller and floor.tolerable_smaller > 0
        else f"keep {'smaller pods' if floor.smaller else 'others'} off this tier"
    )
    return f"Give it a node pool of its own ({counted(own, 'node')}), or {spare}."
