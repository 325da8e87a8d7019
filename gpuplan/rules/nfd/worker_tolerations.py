"""Taints that NFD's own worker has to tolerate.

NFD is the cluster's own installation, not gpuplan's. Its worker runs on every node that it describes; where a taint keeps it
away, the node gets no labels, so no agent of gpuplan's selects it and its cards are never offered, without an error
anywhere. Charts tolerate little by default, and one value more or less (`present` for `true`) is enough.

Source: NVIDIA/k8s-device-plugin #734 and #1934, NVIDIA/gpu-feature-discovery #70.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import SelectedBy, Taint
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="nfd/worker-tolerations",
    severity=Severity.INFO,
    summary="Taints that NFD's worker has to tolerate",
    why="NFD is installed by somebody else. Where its worker does not tolerate a pool's taints, the nodes get no labels.",
    fix="Add the tolerations to the values of NFD's worker; accept this note under `suppress:` once they are there.",
    bad="nodePools:\n  a: {selectedBy: {nfd: {}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
    good="nodePools:\n  a: {selectedBy: {nfd: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each cluster with pools that NFD finds and whose nodes are, or may come to be, tainted."""
    for cluster in fleet.clusters:
        found = [pool for pool in cluster.pools if pool.selection.by is SelectedBy.NFD]
        taints = dict.fromkeys(_spelled(taint) for pool in found for taint in pool.taints)
        health = fleet.governance.node_health
        if found and cluster.name in health.clusters:
            taints[f"{conventions.TAINT_UNHEALTHY}:{conventions.TAINT_UNHEALTHY_EFFECT}"] = None
        if taints:
            tainted = [(*pool.path, "taints") for pool in found if pool.taints]
            yield DOC.found(
                f"In cluster `{cluster.name}`, NFD's worker has to tolerate {listed(taints)}",
                at=point(fleet, [*tainted, (*health.path, "controller")][0]),
            )


def _spelled(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
