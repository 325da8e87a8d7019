"""Two pools that are selected by the same labels.

No one can tell their nodes apart: each node belongs to both, and the agents of both pools run on it. Pools of one flavor may
share all their labels where others run the agents (`stack: external`): their cards are of one kind and are counted together.

Source: Kubernetes node selectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, node_labels
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="pool/same-labels-twice",
    severity=Severity.ERROR,
    summary="Two pools selected by the same labels",
    why="Every node would belong to both pools: two sets of agents run on it, and nobody can say whose its cards are.",
    fix="Give each pool a label of its own, or make them one pool.",
    bad="nodePools:\n  a: {selectedBy: {labels: {gpu: l40s}}}\n  b: {selectedBy: {labels: {gpu: l40s}}}",
    good="nodePools:\n  a: {selectedBy: {labels: {gpu: l40s, rack: a}}}\n  b: {selectedBy: {labels: {gpu: l40s, rack: b}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose labels another pool of the cluster has had before."""
    for cluster in fleet.clusters:
        first: dict[tuple[tuple[str, str], ...], NodePool] = {}
        for pool in cluster.pools:
            labels = tuple(sorted(node_labels(pool).items()))
            other = first.setdefault(labels, pool)
            if other is not pool and not _counted_together(cluster, other, pool):
                yield DOC.found(
                    f"Pools `{other.name}` and `{pool.name}` of cluster `{cluster.name}` are selected by the same labels",
                    at=point(fleet, (*pool.path, "selectedBy")),
                    also=(Related("the first pool", point(fleet, (*other.path, "selectedBy"))),),
                )


def _counted_together(cluster: Cluster, one: NodePool, other: NodePool) -> bool:
    """Tell whether nobody has to tell the two pools' nodes apart."""
    names = {one.name, other.name}
    return one.stack == other.stack == "external" and any(
        names <= {pool.name for pool in flavor.pools} for flavor in cluster.flavors
    )
