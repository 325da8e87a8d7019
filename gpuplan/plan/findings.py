"""Every finding that making a plan can give."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

LIVE_SHAPE: Final = RuleDoc(
    id="plan/live-snapshot",
    severity=Severity.ERROR,
    summary="A snapshot of a cluster that is not what kubectl prints",
    why="The plan would count no work where there is some, and call harmless what is not.",
    fix="Make it anew: `kubectl get nodes,clusterqueues.kueue.x-k8s.io,workloads.kueue.x-k8s.io -A -o json > live.json`.",
    bad="$ kubectl get clusterqueues -o yaml > live.json",
    good="$ kubectl get nodes,clusterqueues.kueue.x-k8s.io,workloads.kueue.x-k8s.io -A -o json > live.json",
)

FINDINGS: Final = (LIVE_SHAPE,)
"""All of them, sorted by id."""
