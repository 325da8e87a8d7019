"""A stateful service of one pod.

The disruption budget lets a drain take one pod at a time. Of a service with one pod that is all of it: it is down until
its successor has loaded the model, and there is nobody to hand the state to.

Source: Kubernetes, PodDisruptionBudget.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import written

DOC = RuleDoc(
    id="stateful/single-replica",
    severity=Severity.INFO,
    summary="A stateful service of one pod",
    why="A drain takes one pod at a time, which is all of it: it is down until its successor is ready.",
    fix="Run two pods or more and write so in `largestJob.pods`, or accept the pause.",
    bad="taskPools:\n  chat: {service: guaranteed, stateful: {}, largestJob: {pods: 1, cardsPerPod: 8}}",
    good="taskPools:\n  chat: {service: guaranteed, stateful: {}, largestJob: {pods: 2, cardsPerPod: 8}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stateful task pool that says it runs one pod."""
    for pool in fleet.task_pools:
        path = (*pool.path, "largestJob", "pods")
        if pool.stateful and pool.largest_job.pods == 1 and written(fleet, path):
            yield DOC.found(f"`{pool.name}` runs as one pod, which every drain takes", at=fleet.places.value(path))
