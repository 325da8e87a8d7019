"""A queue's name where Kueue does not look for it.

Kueue reads the label `kueue.x-k8s.io/queue-name` of the workload itself. As an annotation, as early versions had it, it says
nothing: the work goes around the queue, or stays suspended for ever where it was made so.

Source: Kueue 0.19, pkg/controller/jobframework (QueueName).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.workloads import workloads
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/queue-name-not-a-label",
    severity=Severity.ERROR,
    summary="A queue's name as an annotation",
    why="Kueue reads the label alone: the work goes around the queue, or stays suspended for ever where it was made so.",
    fix="Move it from `annotations` to `labels`.",
    bad="kind: Job\nmetadata: {annotations: {kueue.x-k8s.io/queue-name: training}}",
    good="kind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: training}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each workload that names its queue in an annotation alone."""
    for work in workloads(inventory):
        noted = work.queue
        if noted.scalar() and "annotations" in noted.path:
            yield DOC.found(
                f"{work} names queue `{noted.scalar()}` in an annotation, which Kueue does not read", at=noted.key_span
            )
