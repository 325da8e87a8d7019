"""A pool with the taint of nodes whose GPUs are not healthy.

`readiness.k8s.io/gpuplan-unhealthy` keeps new pods off a node while its GPUs are in trouble. A pool's own taints are
tolerated by its flavor, and so by all jobs: with this one among them, jobs start on broken nodes again.

Source: Kueue, tolerations of a ResourceFlavor; gpuplan's taint of unhealthy nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="governance/unhealthy-taint-on-pool",
    severity=Severity.ERROR,
    summary="A pool with the taint of nodes whose GPUs are not healthy",
    why="Jobs tolerate the taints of their pool, so that this one would keep nothing off a broken node.",
    fix="Remove the taint from the pool; it is set node by node.",
    bad=f"nodePools:\n  a: {{taints: [{{key: {conventions.TAINT_UNHEALTHY}, effect: NoSchedule}}]}}",
    good="nodePools:\n  a: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that has the taint on all its nodes."""
    for _, pool in pools(fleet):
        for index, taint in enumerate(pool.taints):
            if taint.key == conventions.TAINT_UNHEALTHY:
                at = fleet.places.value((*pool.path, "taints", index, "key"))
                yield DOC.found(f"Pool `{pool.name}` has `{taint.key}` on all its nodes", at=at)
