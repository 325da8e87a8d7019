"""More cards given out than exist.

What queues and shared pools own of one flavor and resource is added up over the whole cluster and may not exceed what
its nodes offer. Kueue does not know how many cards there are: it would admit up to the quota, the surplus pods would
wait for the scheduler, and then neither priority nor fairness decides who runs, but who was first.

Source: Kueue #3210, #4782, #5289.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import FlavorResource
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import Owner, offer, offers, overdrawn, owners, pieces
from gpuplan.rules.walk import listed, point
from gpuplan.words import counted

DOC = RuleDoc(
    id="quota/over-capacity",
    severity=Severity.ERROR,
    summary="More cards given out than exist",
    why="Kueue admits up to the quota, not up to the hardware. Beyond it, pods wait in the scheduler and priority order is lost.",
    fix="Take the surplus away from one of them, or add nodes.",
    bad="nodePools:\n  a: {tier: train, nodes: 1, cardsPerNode: 8}\nteams:\n"
    "  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}\n  vision: {quotas: {pretrain: {train: {guaranteed: 4}}}}",
    good="nodePools:\n  a: {tier: train, nodes: 1, cardsPerNode: 8}\nteams:\n"
    "  nlp: {quotas: {pretrain: {train: {guaranteed: 5}}}}\n  vision: {quotas: {pretrain: {train: {guaranteed: 3}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor and resource of which more is owned than its nodes offer."""
    for cluster in fleet.clusters:
        for flavor, resource, _ in offers(cluster):
            if overdrawn(cluster, flavor, resource):
                yield _finding(fleet, cluster, flavor, resource)


def _uncounted(fleet: Fleet, cluster: Cluster, flavor: Flavor, item: FlavorResource, owner: Owner) -> Diagnostic:
    """Point at the first owner of cards of which nobody knows how many there are."""
    pools = listed(pool.name for pool in flavor.pools if not pool.counted)
    return DOC.found(
        f"{cluster.quota.owned(item)} of {offer(flavor, item[1])} in cluster `{cluster.name}` are given out, "
        f"and nobody knows how many there are: pool {pools} has no `nodes`",
        at=point(fleet, owner.path),
        fix=f"Write `nodes` and `cardsPerNode` of pool {pools}, or give nothing out until they are known.",
    )


def _finding(fleet: Fleet, cluster: Cluster, flavor: Flavor, resource: str) -> Diagnostic:
    """Point at the owner whose number goes past the capacity, and name all others."""
    capacity, item = flavor.capacity[resource], (flavor.name, resource)
    every, total = list(owners(cluster, item)), 0
    for owner in every:
        total += owner.pieces
        if total > capacity:
            break
    over = cluster.quota.owned(item) - capacity
    if not flavor.counted:
        return _uncounted(fleet, cluster, flavor, item, every[0])
    nodes = -(-over * sum(pool.nodes for pool in flavor.pools) // capacity)
    return DOC.found(
        f"{offer(flavor, resource)} in cluster `{cluster.name}` has {pieces(capacity, flavor, resource)}, "
        f"but {cluster.quota.owned(item)} are given out: over by {over}",
        at=point(fleet, owner.path),
        also=tuple(
            Related(f"{other.name} owns {other.pieces}", point(fleet, other.path))
            for other in every
            if other is not owner
        ),
        fix=f"Take {over} away from one of them, or add {counted(nodes, 'node')}.",
    )
