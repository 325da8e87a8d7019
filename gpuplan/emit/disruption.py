"""Disruption budgets: while a node is drained, a stateful service loses one pod at a time.

One budget for each stateful task pool and team namespace, over all pods in that queue. Kueue copies the label of the
queue to the pods of Deployments and LeaderWorkerSets (through the template) and of StatefulSets (on each pod); plain
pods carry it themselves (Kueue 0.19.2, pkg/controller/jobs).

The disruption controller adds up the replicas of the pods' owners. It cannot ask a Job or MPIJob for its replicas, and one
such pod whose template names the queue would make it allow nothing at all any more, so they are left out of the selector
(tried on Kubernetes 1.36).

`AlwaysAllow`: a pod that is not ready serves nobody, and holding on to it would block the drain of a broken node for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.base import DISRUPTION, manifest, namespaced
from gpuplan.manifests.kinds import PodDisruptionBudget
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import TaskPool

AT_ONCE = 1
"""Pods of a queue and namespace that a drain may take before their successors are ready."""
OWNERS_WITHOUT_SCALE = (conventions.LABEL_JOB_NAME, conventions.LABEL_MPI_JOB_NAME)
"""Labels of the pods whose owners have no scale subresource."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the budgets of the cluster's stateful task pools, for each namespace that has a queue there."""
    for cohort in cluster.cohorts_with_queues:
        pool = cohort.task_pool
        for queue in cohort.queues if pool.stateful else ():
            for namespace in queue.team.namespaces:
                made = _budget(pool, namespace)
                yield manifest(fleet, cluster, DISRUPTION, made, pool.path, queue.path)


def _budget(task_pool: TaskPool, namespace: str) -> PodDisruptionBudget:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": namespaced(conventions.disruption_budget_name(task_pool.name), namespace, DISRUPTION),
        "spec": {
            "maxUnavailable": AT_ONCE,
            "selector": {
                "matchLabels": {conventions.LABEL_QUEUE_NAME: task_pool.local_queue},
                "matchExpressions": [{"key": key, "operator": "DoesNotExist"} for key in OWNERS_WITHOUT_SCALE],
            },
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }
