"""A companion that Kueue cannot count beside the cards.

`companions` are what a node offers besides its cards: `cpu`, `memory`, `rdma/ib`. The cards themselves are counted already,
by the pool and its sharing, and would be counted by the wrong number. A name without a domain that is none of Kubernetes'
own cannot be asked for by a pod. A companion of 0 shuts the flavor to every job that asks for it, and Kueue takes a total
beyond 2⁶³-1 (of cpu: thousandths) for no limit at all.

Source: Kubernetes, resources of containers; Kueue's flavor assignment and quantities.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, produced_resources
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/companion-not-countable",
    severity=Severity.ERROR,
    summary="A companion that Kueue cannot count beside the cards",
    why="Quotas under this name would replace those of cards, shut the flavor, or limit nothing.",
    fix="Name what a pod asks for besides cards, such as `cpu`, `memory` or `rdma/ib`, and how much a node offers.",
    bad="nodePools:\n  a: {companions: {nvidia.com/gpu: 8}}",
    good="nodePools:\n  a: {companions: {cpu: 90, memory: 1Ti}}",
)

NATIVE = ("cpu", "memory", "ephemeral-storage", "pods")
HUGE_PAGES = "hugepages-"
UNLIMITED = 2**63 - 1
"""From here on Kueue takes a quota for unlimited; for cpu, which it counts in thousandths, a thousandth of it."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each companion of a pool that cannot be counted."""
    for cluster in fleet.clusters:
        cards = {made.resource for pool in cluster.pools for made in produced_resources(pool)}
        totals = {pool.name: flavor.companions for flavor in cluster.flavors for pool in flavor.pools}
        for pool in cluster.pools:
            for name in pool.companions:
                trouble = _trouble(cluster, pool, name, cards, totals[pool.name][name])
                if trouble:
                    at = fleet.places.key((*pool.path, "companions", name))
                    yield DOC.found(f"Companion `{name}` of pool `{pool.name}` {trouble}", at=at)


def _trouble(cluster: Cluster, pool: NodePool, name: str, cards: set[str], total: Quantity) -> str:
    """Return why a companion cannot be counted; empty where it can."""
    if name in cards:
        return f"is what cards of cluster `{cluster.name}` are counted as"
    if "/" not in name and name not in NATIVE and not name.startswith(HUGE_PAGES):
        return "is no resource that a pod can ask for"
    if not pool.companions[name].nanos:
        return "is 0: no job that asks for any could run there"
    most = Quantity.of(UNLIMITED // 1000 if name == "cpu" else UNLIMITED)
    return f"adds up to {total}, which Kueue takes for no limit" if total >= most else ""
