"""Labels that also select the nodes of another pool.

A flavor's labels are the node selector of every job that Kueue admits to it. If they also match nodes of another
flavor, jobs land on the wrong card and the quota of both is wrong. Within one flavor it is the agents that go wrong:
the DaemonSets of one pool would run on the nodes of the other as well, two device plugins on one node.

Source: Kubernetes node selectors; Kueue #10659.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, node_labels
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="pool/selects-foreign-nodes",
    severity=Severity.ERROR,
    summary="Labels that also select another pool's nodes",
    why="Jobs and agents of one pool would run on the nodes of the other, whose cards differ or are counted elsewhere.",
    fix="Add a label that only the nodes of this pool carry.",
    bad="nodePools:\n  a: {selectedBy: {labels: {gpu: 'true'}}}\n  b: {selectedBy: {labels: {gpu: 'true', pool: b}}}",
    good="nodePools:\n  a: {selectedBy: {labels: {gpu: 'true', pool: a}}}\n  b: {selectedBy: {labels: {gpu: 'true', pool: b}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor that reaches a pool of another, and each pool that reaches one of its own flavor."""
    for cluster in fleet.clusters:
        for pool, other, labels in _reaching(cluster):
            shown = ", ".join(f"{key}: {value}" for key, value in sorted(labels.items()))
            yield DOC.found(
                f"The labels of pool `{pool.name}` ({shown}) also select the nodes of pool `{other.name}`",
                at=point(fleet, (*pool.path, "selectedBy")),
                also=(Related("the other pool", point(fleet, (*other.path, "selectedBy"))),),
            )


def _reaching(cluster: Cluster) -> Iterator[tuple[NodePool, NodePool, dict[str, str]]]:
    """Yield (pool, other pool, the labels that select both); equal labels are for pool/same-labels-twice."""
    for flavor in cluster.flavors:
        own, labels = flavor.pools[0], dict(flavor.node_labels)
        members = {pool.name for pool in flavor.pools}
        for other in cluster.pools:
            theirs = node_labels(other)
            reached = labels and labels.items() <= theirs.items() and node_labels(own) != theirs
            if reached and other.name not in members:
                yield own, other, labels
        for pool in flavor.pools if own.stack != "external" else ():
            labels_of_pool = node_labels(pool)
            for other in flavor.pools:
                if labels_of_pool.items() < node_labels(other).items():
                    yield pool, other, labels_of_pool
