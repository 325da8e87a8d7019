"""An autoscaler by the use of a resource that nobody measures.

The resource metrics API knows cpu and memory alone. A HorizontalPodAutoscaler by the utilization of `nvidia.com/gpu` stays at
`<unknown>` and never scales; what cards do is a custom metric.

Source: Kubernetes, Resource metrics pipeline (metrics.k8s.io) and Horizontal Pod Autoscaling.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/scaling-metric",
    severity=Severity.ERROR,
    summary="An autoscaler by a resource that nobody measures",
    why="The resource metrics API knows cpu and memory alone: the target stays unknown, and the workload keeps its size.",
    fix="Scale by a metric of type Pods or External, such as `DCGM_FI_DEV_GPU_UTIL`, through an adapter.",
    bad="metrics:\n- type: Resource\n  resource: {name: nvidia.com/gpu, target: {type: Utilization, averageUtilization: 80}}",
    good="metrics:\n- type: Pods\n  pods: {metric: {name: DCGM_FI_DEV_GPU_UTIL}, target: {type: AverageValue, averageValue: 80}}",
)
MEASURED = ("cpu", "memory")
_PARTS = {"Resource": "resource", "ContainerResource": "containerResource"}


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such metric."""
    for scaler in inventory.of("HorizontalPodAutoscaler"):
        for metric in scaler.spec["metrics"].items():
            name = _resource(metric)
            if name.exists and name.text() not in MEASURED:
                yield DOC.found(
                    f"HorizontalPodAutoscaler `{scaler.name}` goes by the use of `{name.text()}`, which nobody measures",
                    at=name.span,
                )


def _resource(metric: View) -> View:
    return metric[_PARTS.get(metric["type"].text(), "resource")]["name"]
