"""Pools that the node readiness controller cannot tell apart.

gpuplan renders a NodeReadinessRule for each pool, all with one taint. The controller's webhook refuses a rule where some node
could match two: two selectors are told apart only by different values of a label that both name. Pools that gpuplan labels
(`nfd`, `provisioner`) always are; pools that are selected by labels of different keys never are, whatever their nodes bear.

Source: node-readiness-controller, its validating webhook (since the summer of 2026).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="governance/health-rules-overlap",
    severity=Severity.WARNING,
    summary="Pools that the node readiness controller cannot tell apart",
    why="Its webhook refuses the second of two rules whose selectors could match one node, and the sync stops there.",
    fix="Select both pools by values of one label, or both by `nfd`, so that no node can match both selectors.",
    bad="nodePools:\n  a: {selectedBy: {labels: {pool: a}}}\n  b: {selectedBy: {labels: {instance: b}}}\n"
    "governance: {nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}}",
    good="nodePools:\n  a: {selectedBy: {labels: {pool: a}}}\n  b: {selectedBy: {labels: {pool: b}}}\n"
    "governance: {nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose selector may match a node of a pool before it."""
    for cluster in fleet.clusters:
        if cluster.name in fleet.governance.node_health.clusters:
            reported: set[str] = set()
            for first, second in itertools.combinations(cluster.pools, 2):
                if second.name not in reported and _may_overlap(cluster, first, second):
                    reported.add(second.name)
                    summary = f"A node could be in `{first.name}` and in `{second.name}`, as their labels go"
                    yield DOC.found(summary, at=fleet.places.key((*second.path, "selectedBy")))


def _may_overlap(cluster: Cluster, one: NodePool, other: NodePool) -> bool:
    """Tell whether some set of labels matches both selectors."""
    mine, theirs = lasting_labels(cluster, one), lasting_labels(cluster, other)
    return all(mine[key] == theirs[key] for key in mine.keys() & theirs.keys())
