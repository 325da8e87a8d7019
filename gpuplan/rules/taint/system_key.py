"""A pool taint that Kubernetes itself sets and removes.

`node.kubernetes.io/not-ready`, `…/unschedulable` and their like say that a node is in trouble or cordoned. A pool's
taints are tolerated by its flavor and its agents, so jobs would be started on nodes that are down, and cordoning would
no longer keep them off.

Source: Kubernetes, taints set by the node controller.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="taint/system-key",
    severity=Severity.ERROR,
    summary="A taint that Kubernetes itself sets and removes",
    why="Jobs tolerate the taints of their pool: they would start on nodes that are not ready, cordoned or out of memory.",
    fix="Use a key of your own, such as `nvidia.com/gpu`.",
    bad="nodePools:\n  a: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}",
    good="nodePools:\n  a: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)

SYSTEM_DOMAINS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each taint of Kubernetes' own."""
    for _, pool in pools(fleet):
        for index, taint in enumerate(pool.taints):
            if taint.key.startswith(SYSTEM_DOMAINS):
                summary = f"Taint `{taint.key}` of pool `{pool.name}` is set and removed by Kubernetes"
                yield DOC.found(summary, at=fleet.places.value((*pool.path, "taints", index, "key")))
