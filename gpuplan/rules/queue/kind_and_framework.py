"""A task pool whose workload kinds do not go with its kind of work.

Training ends, a service does not. A Deployment restarts a training run that has finished, and a Job gives up a
service that has been evicted. Training and serving never share a queue: they would share a priority band, a floor and
a drain time that are right for one of them.

Source: Kubernetes, Job and Deployment; gpuplan's task kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskKind
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="queue/kind-and-framework",
    severity=Severity.ERROR,
    summary="A workload kind that does not go with the kind of work",
    why="A service as a Job is over once it stops, training as a Deployment starts again once it is done; "
    "and training and serving never share a queue.",
    fix="Use job, jobset or mpijob for training, and deployment, statefulset, leaderworkerset or pod for online inference.",
    bad="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], frameworks: [deployment, job]}",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], frameworks: [deployment]}",
)

FOREIGN: Mapping[TaskKind, tuple[str, ...]] = {
    TaskKind.TRAINING: ("deployment", "statefulset", "leaderworkerset"),
    TaskKind.ONLINE_INFERENCE: ("job", "jobset", "mpijob"),
    TaskKind.BATCH_INFERENCE: (),
    TaskKind.EXPERIMENT: (),
}
"""Workload kinds that a kind of work never runs as. Batch inference may well be a Deployment that eats a queue."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such workload kind of a task pool."""
    for pool in fleet.task_pools:
        for index, framework in enumerate(pool.frameworks):
            if framework in FOREIGN[pool.kind]:
                yield DOC.found(
                    f"`{pool.name}` is {pool.kind.value} and cannot run as `{framework}`",
                    at=fleet.places.value((*pool.path, "frameworks", index)),
                )
