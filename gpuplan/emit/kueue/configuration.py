"""The configuration of Kueue's manager. Kueue refuses keys and gates that it does not know.

Fair sharing is on, because shared pools need it, with both of Kueue's strategies in its usual order: a victim may go if
its share stays at or above the newcomer's, or else if it was above before. Each manager takes jobs of the team namespaces
alone, so that its webhooks, which fail closed, touch nobody else's pods (llm-d/llm-d#2458).

Where adopted queues are all that there is, Kueue keeps its defaults, by which they have always worked: no fair sharing, and no
job with a resource that its queue does not cover.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.base import in_namespaces, origin
from gpuplan.emit.workloads import integrations
from gpuplan.manifests.kinds.meta import LabelSelector
from gpuplan.manifests.set import TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.claims import claimable
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.versions import required

Section = dict[str, object]

UNDECLARED_RESOURCES_MAY_BE_IGNORED = required("0.19")
"""From here on `quotaCheckStrategy` exists, and waitForPodsReady is on unless a gate switches it off."""

CLAIMS_COUNTED_BY_DEFAULT = required("0.18")
"""From here on the gate is KueueDRAIntegration and on; before, it was DynamicResourceAllocation and off."""

CARDS_MAY_BE_CLAIMS = required("0.19")
"""From here on Kueue takes a pod's `nvidia.com/gpu` for a claim where some device class bears that name."""

UNCOUNTED_PREFIXES = ["cpu", "ephemeral-storage", "hugepages-", "memory"]
"""What older managers leave out of quota: each resource that a pod may ask for besides cards must be named."""

UNCOUNTED_PARTS_OF_CARDS = ["nvidia.com/gpucores", "nvidia.com/gpumem"]
"""How the names begin by which pods ask HAMi for a part of a card. An older manager must be told of each, or it admits no pod
that asks for one."""

UNCOUNTED = ["cpu", "ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi", "memory"]
"""What newer managers take out of requests before they look for cards. Tried on 0.19.2: a pod that asks for nothing but
undeclared resources, such as an MPI launcher with a processor, ends the search for flavors there. Its job is then admitted
without the rest, or, where the server refuses that half, tried again without a pause. Topologies still see the whole pod."""

JOBS_WHERE_NO_POOL_ASKS = ["batch/job"]
"""Kueue insists on a framework; this is its own default."""


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield the ConfigMap that whoever installs Kueue must give it, where that is not gpuplan."""
    if cluster.kueue.managed:
        return
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": conventions.KUEUE_CONFIG, "namespace": conventions.KUEUE_NAMESPACE},
        "data": {conventions.KUEUE_CONFIG_KEY: yaml_text(manager_configuration(cluster))},
    }
    path = f"provisioner/{cluster.name}/kueue/{conventions.KUEUE_CONFIG}.yaml"
    yield TextFile(path=path, text=yaml_text(config_map), origin=origin(fleet, (*cluster.path, "kueue")))


def manager_configuration(cluster: Cluster) -> Section:
    """Return the manager's configuration. What is not here keeps Kueue's default, which the fleet does not depend on."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": conventions.KUEUE_NAMESPACE,
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {"groupKindConcurrency": dict(CONCURRENCY)},
        "clientConnection": {"qps": 300, "burst": 500},
        "manageJobsWithoutQueueName": False,
        "managedJobsNamespaceSelector": _team_namespaces(cluster),
        "integrations": {"frameworks": integrations(cluster.frameworks) or JOBS_WHERE_NO_POOL_ASKS},
        **_shared(cluster),
        **_pods_ready(cluster.kueue.pods_ready_timeout_seconds),
        **_feature_gates(cluster),
    }


CONCURRENCY = {
    "Job.batch": 5,
    "Pod": 5,
    "Workload.kueue.x-k8s.io": 10,
    "LocalQueue.kueue.x-k8s.io": 5,
    "ClusterQueue.kueue.x-k8s.io": 5,
    "ResourceFlavor.kueue.x-k8s.io": 1,
}
"""Parallel reconciles, as Kueue's own manifests ship them; left out, each would be 1."""


def _team_namespaces(cluster: Cluster) -> LabelSelector:
    """Select the namespaces with queues; without queues none, since every namespace has the label with its name."""
    if not cluster.queue_namespaces:
        return {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "DoesNotExist"}]}
    return in_namespaces(cluster.queue_namespaces)


def _shared(cluster: Cluster) -> Section:
    """Return what our quota tree needs."""
    if not cluster.own_quota:
        return {}
    return {
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "resources": _resources(cluster),
    }


def _resources(cluster: Cluster) -> Section:
    """Leave all that no queue covers to the scheduler; companions and what adopted queues cover stay."""
    counted = {name for flavor in cluster.flavors for name in flavor.companions} | cluster.adopted.resources
    claims = _device_classes(cluster)
    if cluster.kueue.version < UNDECLARED_RESOURCES_MAY_BE_IGNORED:
        shared = any(pool.sharing.mode is SharingMode.HAMI for pool in cluster.pools)
        starts = [*UNCOUNTED_PREFIXES, *(UNCOUNTED_PARTS_OF_CARDS if shared else ())]
        left_out = [start for start in starts if not any(name.startswith(start) for name in counted)]
        return {"excludeResourcePrefixes": left_out, **claims}
    ignored = [{"input": resource, "strategy": "Replace"} for resource in UNCOUNTED if resource not in counted]
    return {"quotaCheckStrategy": "IgnoreUndeclared", "transformations": ignored, **claims}


def _device_classes(cluster: Cluster) -> Section:
    """Say by which resource Kueue counts the devices of each class; it holds back jobs that claim any other class.

    A device plugin's `nvidia.com/gpu` elsewhere in the cluster forbids NVIDIA's own class of whole cards here: that bears the
    name too, and Kueue would count the plugin's cards as claims.
    """
    classes = {name: [conventions.device_class_name(profile)] for name, profile in claimable(cluster).items()}
    cards = conventions.dra_resource("")
    if cards in classes and _cards_are_claims(cluster):
        classes[cards].append(conventions.DRA_DRIVER)
    mappings = [{"name": name, "deviceClassNames": names} for name, names in classes.items()]
    return {"deviceClassMappings": mappings} if mappings else {}


def _cards_are_claims(cluster: Cluster) -> bool:
    """Tell whether Kueue shall count a pod's `nvidia.com/gpu` as a claim: where no device plugin offers that name.

    NVIDIA's chart gives its class the name, and from Kubernetes 1.36 on the scheduler then allocates such pods a claimed card.
    """
    offered = {name for flavor in cluster.flavors for name in flavor.capacity}
    return cluster.kueue.version >= CARDS_MAY_BE_CLAIMS and conventions.RESOURCE_GPU not in offered


def _feature_gates(cluster: Cluster) -> Section:
    """Return the gates that differ from Kueue's defaults, or that the fleet depends on."""
    version, gates = cluster.kueue.version, dict[str, bool]()
    if not cluster.kueue.pods_ready_timeout_seconds and version >= UNDECLARED_RESOURCES_MAY_BE_IGNORED:
        gates["DisableWaitForPodsReady"] = True
    if claimable(cluster):
        known = version >= CLAIMS_COUNTED_BY_DEFAULT
        gates["KueueDRAIntegration" if known else "DynamicResourceAllocation"] = True
        if version >= CARDS_MAY_BE_CLAIMS:
            gates["KueueDRAIntegrationExtendedResource"] = _cards_are_claims(cluster)
    return {"featureGates": gates} if gates else {}


def _pods_ready(timeout_seconds: int) -> Section:
    """Return how long the pods of a job may take to be ready before it is evicted and tried again; 0 is for ever."""
    if not timeout_seconds:
        return {}
    timeout = f"{timeout_seconds}s"
    requeuing = {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600}
    settings: Section = {"timeout": timeout, "recoveryTimeout": timeout, "blockAdmission": False}
    return {"waitForPodsReady": {**settings, "requeuingStrategy": requeuing}}
