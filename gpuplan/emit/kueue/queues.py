"""The quota tree as Kueue's objects: Cohorts, ClusterQueues and LocalQueues.

Every number comes from `model.quota_tree`; what a service class means to Kueue is the table `EVICTS`.
`stopPolicy` is left out on purpose, so that a person's emergency Hold survives Argo CD's self-heal.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from gpuplan import conventions
from gpuplan.emit.base import (
    LOCAL_QUEUES,
    QUEUES,
    in_namespaces,
    manifest,
    metadata,
    namespaced,
)
from gpuplan.manifests.kinds import ClusterQueue, LocalQueue
from gpuplan.manifests.kinds import Cohort as CohortObject
from gpuplan.manifests.kinds.kueue import (
    CohortSpec,
    FlavorFungibility,
    FlavorQuotas,
    Preemption,
    ResourceQuotaInFlavor,
)
from gpuplan.manifests.kinds.kueue import ResourceGroup as ResourceGroupSpec
from gpuplan.manifests.set import Manifest
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Fallback, ResourceGroup, Service, TaskPool, TeamQueue, fenced, resource_groups
from gpuplan.model.quota_tree import NO_QUOTA, NOT_PRODUCED, Limit, QuotaNode
from gpuplan.quantity import Quantity


class Evicts(NamedTuple):
    """Whom a queue may evict to get its own floor back, and to place a more urgent job of its own."""

    in_cohort: Literal["Never", "LowerPriority", "Any"]
    in_queue: Literal["Never", "LowerPriority"]


EVICTS: Mapping[Service, Evicts] = {
    Service.GUARANTEED: Evicts(in_cohort="Any", in_queue="LowerPriority"),
    Service.QUEUED: Evicts(in_cohort="LowerPriority", in_queue="LowerPriority"),
    Service.SHARED: Evicts(in_cohort="Any", in_queue="Never"),
    Service.RECLAIMABLE: Evicts(in_cohort="Never", in_queue="Never"),
}

FUNGIBILITY: Mapping[Fallback, FlavorFungibility] = {
    Fallback.NONE: {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
    Fallback.NEXT_TIER: {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
    Fallback.LAST_RESORT: {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"},
}
"""When Kueue looks at the next flavor. One tier has nowhere to go, so it keeps Kueue's own defaults."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the cohorts from the root down, and every team's queues; nothing where nobody could use them."""
    if not cluster.own_quota:
        return
    root = cluster.quota.root
    flavor_paths = [pool.path for pool in cluster.pools]
    yield manifest(fleet, cluster, QUEUES, _cohort(root, resource_groups(cluster.flavors)), cluster.path, *flavor_paths)
    for cohort in cluster.cohorts:
        pool = cohort.task_pool
        node = cluster.quota.cohorts[cohort.name]
        yield manifest(fleet, cluster, QUEUES, _cohort(node, cohort.groups, _task_pool(pool)), pool.path)
        groups = fenced(cohort.groups, cluster.flavors)
        for queue in cohort.queues:
            made = _cluster_queue(cluster.quota.queues[queue.name], pool, queue, groups)
            yield manifest(fleet, cluster, QUEUES, made, queue.path, pool.path)
            for namespace in queue.team.namespaces:
                local = _local_queue(namespace, pool, queue)
                yield manifest(fleet, cluster, LOCAL_QUEUES, local, queue.path, pool.path)


def _task_pool(pool: TaskPool) -> dict[str, str]:
    """Return the label that says which task pool a cohort is of, where its name does not."""
    return {} if pool.cohort == pool.name else {conventions.LABEL_TASK_POOL: pool.name}


def _cohort(node: QuotaNode, groups: Iterable[ResourceGroup], labels: Mapping[str, str] | None = None) -> CohortObject:
    """Return a node of the tree above the queues. Only the root, and pools that own a shared quota, have resources."""
    spec: CohortSpec = {}
    if node.parent:
        spec["parentName"] = node.parent
        spec["fairSharing"] = {"weight": _quantity(node.weight)}
    if node.limits:
        spec["resourceGroups"] = _resource_groups(node, groups, NO_QUOTA)
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": metadata(node.name, QUEUES, labels=labels),
        "spec": spec,
    }


def _cluster_queue(node: QuotaNode, pool: TaskPool, queue: TeamQueue, groups: Iterable[ResourceGroup]) -> ClusterQueue:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": metadata(
            queue.name,
            QUEUES,
            labels={
                conventions.LABEL_SERVICE: pool.service.value,
                **_task_pool(pool),
                conventions.LABEL_TEAM: queue.team.name,
            },
        ),
        "spec": {
            "cohortName": node.parent,
            "namespaceSelector": in_namespaces(queue.team.namespaces),
            "queueingStrategy": "StrictFIFO" if pool.strict else "BestEffortFIFO",
            "resourceGroups": _resource_groups(node, groups, NOT_PRODUCED),
            "flavorFungibility": FUNGIBILITY[pool.fallback],
            "preemption": _preemption(pool.service),
            "fairSharing": {"weight": _quantity(node.weight)},
        },
    }


def _preemption(service: Service) -> Preemption:
    evicts = EVICTS[service]
    return {
        "reclaimWithinCohort": evicts.in_cohort,
        "borrowWithinCohort": {"policy": "Never"},
        "withinClusterQueue": evicts.in_queue,
    }


def _local_queue(namespace: str, pool: TaskPool, queue: TeamQueue) -> LocalQueue:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": namespaced(pool.local_queue, namespace, LOCAL_QUEUES),
        "spec": {"clusterQueue": queue.name},
    }


def _resource_groups(node: QuotaNode, groups: Iterable[ResourceGroup], otherwise: Limit) -> list[ResourceGroupSpec]:
    """Return a node's numbers, `otherwise` where it has none.

    Every flavor lists every resource of its group, in the same order, as Kueue demands.
    """
    return [
        {
            "coveredResources": list(group.resources),
            "flavors": [_flavor_quotas(node, flavor, group.resources, otherwise) for flavor in group.flavors],
        }
        for group in groups
    ]


def _flavor_quotas(node: QuotaNode, flavor: Flavor, resources: Iterable[str], otherwise: Limit) -> FlavorQuotas:
    quotas = [_quota(resource, node.limits.get((flavor.name, resource), otherwise), flavor) for resource in resources]
    return {"name": flavor.name, "resources": quotas}


def _quota(resource: str, limit: Limit, flavor: Flavor) -> ResourceQuotaInFlavor:
    companion = flavor.companions.get(resource)

    def written(amount: int) -> str:
        return _quantity(amount) if companion is None else str(Quantity(amount, companion.binary))

    made: ResourceQuotaInFlavor = {"name": resource, "nominalQuota": written(limit.nominal)}
    if limit.borrowing is not None:
        made["borrowingLimit"] = written(limit.borrowing)
    if limit.lending is not None:
        made["lendingLimit"] = written(limit.lending)
    return made


@functools.lru_cache(maxsize=4096)
def _quantity(amount: int) -> str:
    return str(Quantity.of(amount))
