"""A task pool with gangs that does not say who may overtake.

A job of many pods waits until all of it fits. With `queueing: bestEffort`, the default, smaller jobs behind it start
meanwhile, and a steady stream of them can keep the gang waiting for ever. With `queueing: strict` nobody overtakes,
and cards lie idle while the gang waits. Both are right for somebody; gpuplan asks you to write down which one you
mean.

Source: Kueue, queueingStrategy; #4809.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import reaches
from gpuplan.rules.walk import written

DOC = RuleDoc(
    id="kueue/best-effort-overtakes-gang",
    severity=Severity.INFO,
    summary="A task pool with gangs that does not say who may overtake",
    why="By default smaller jobs start while a gang waits, and enough of them keep it waiting for ever.",
    fix="Write `queueing: strict` (nobody overtakes, cards may lie idle) or `queueing: bestEffort` (smaller jobs may overtake).",
    bad="taskPools:\n  pretrain: {kind: training, service: guaranteed, largestJob: {pods: 8, cardsPerPod: 8}}",
    good="taskPools:\n  pretrain: {kind: training, service: guaranteed, queueing: strict,\n"
    "    largestJob: {pods: 8, cardsPerPod: 8}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool with queues of its own cards and jobs of several pods that leaves `queueing` out."""
    for pool in fleet.task_pools:
        said = written(fleet, (*pool.path, "queueing"))
        if pool.largest_job.pods > 1 and pool.service.owns and not said and any(reaches(fleet, pool)):
            yield DOC.found(
                f"`{pool.name}` runs jobs of {pool.largest_job.pods} pods and does not say whether smaller ones may overtake",
                at=fleet.places.key((*pool.path, "largestJob")),
            )
