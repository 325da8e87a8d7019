"""Priorities: WorkloadPriorityClasses by band for the queues, PriorityClasses by service class for the pods.

The two agree on their numbers, so Kueue orders a job alike whichever of them it reads. Within the cluster only the
queue's number evicts: the pods' classes never preempt, since an eviction that Kueue did not order leaves its quota wrong,
and a class above 0 that may preempt pushes out every pod without a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.emit.base import PRIORITY, manifest, metadata
from gpuplan.manifests.kinds import PriorityClass, WorkloadPriorityClass
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import BAND_MIDDLE, Service, TaskPool

MEANING = {
    Service.GUARANTEED: "Critical work: has its floor at any moment.",
    Service.QUEUED: "Ordinary work: waits its turn.",
    Service.SHARED: "Work in a pool that teams share by weight.",
    Service.RECLAIMABLE: "Work on idle cards: gives them back at once.",
}
"""What `kubectl` shows as the description of a class."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the priority classes of every service class that a task pool of the cluster has."""
    for service in Service:
        pools = [cohort.task_pool for cohort in cluster.cohorts if cohort.task_pool.service is service]
        if pools:
            yield from _classes(fleet, cluster, service, pools)


def _classes(fleet: Fleet, cluster: Cluster, service: Service, pools: Sequence[TaskPool]) -> Iterator[Manifest]:
    """Yield the classes of a service class, which are the same for all its task pools."""
    first, paths = pools[0], [pool.path for pool in pools]
    for name, value in first.priority_classes.items():
        yield manifest(fleet, cluster, PRIORITY, _workload_priority_class(name, value, service), *paths)
    yield manifest(fleet, cluster, PRIORITY, _pod_priority_class(first.pod_priority_class, service), *paths)


def _workload_priority_class(name: str, value: int, service: Service) -> WorkloadPriorityClass:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": metadata(name, PRIORITY),
        "description": MEANING[service],
        "value": value,
    }


def _pod_priority_class(name: str, service: Service) -> PriorityClass:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": metadata(name, PRIORITY),
        "description": MEANING[service],
        "preemptionPolicy": "Never",
        "value": BAND_MIDDLE[service],
    }
