"""The configuration of Kueue's manager. Kueue refuses keys and gates that it does not know.

Fair sharing is on, because shared pools need it, with both of Kueue's strategies in its usual order: a victim may go if
its share stays at or above the newcomer's, or else if it was above before. Each manager takes jobs of the team namespaces
alone, so that its webhooks, which fail closed, touch nobody else's pods (llm-d/llm-d#2458).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.base import in_namespaces, origin
from gpuplan.emit.workloads import integrations
from gpuplan.manifests.kinds.meta import LabelSelector
from gpuplan.manifests.set import TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.versions import Version, required

Section = dict[str, object]

UNDECLARED_RESOURCES_MAY_BE_IGNORED = required("0.19")
"""From here on `quotaCheckStrategy` exists, and waitForPodsReady is on unless a gate switches it off."""

UNCOUNTED_PREFIXES = ["cpu", "ephemeral-storage", "hugepages-", "memory"]
"""What older managers leave out of quota: each resource that a pod may ask for besides cards must be named."""

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
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "resources": _resources(cluster),
        **_pods_ready(cluster.kueue.version, cluster.kueue.pods_ready_timeout_seconds),
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
    """Select the teams' namespaces; without teams none, since every namespace has the label with its name."""
    if not cluster.namespaces:
        return {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "DoesNotExist"}]}
    return in_namespaces(cluster.namespaces)


def _resources(cluster: Cluster) -> Section:
    """Leave all that no queue covers to the scheduler; companions that a pool declares are covered and stay."""
    counted = {name for flavor in cluster.flavors for name in flavor.companions}
    if cluster.kueue.version < UNDECLARED_RESOURCES_MAY_BE_IGNORED:
        left_out = [start for start in UNCOUNTED_PREFIXES if not any(name.startswith(start) for name in counted)]
        return {"excludeResourcePrefixes": left_out}
    ignored = [{"input": resource, "strategy": "Replace"} for resource in UNCOUNTED if resource not in counted]
    return {"quotaCheckStrategy": "IgnoreUndeclared", "transformations": ignored}


def _pods_ready(version: Version, timeout_seconds: int) -> Section:
    """Return how long the pods of a job may take to be ready before it is evicted and tried again; 0 is for ever."""
    if timeout_seconds:
        timeout = f"{timeout_seconds}s"
        requeuing = {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600}
        settings: Section = {"timeout": timeout, "recoveryTimeout": timeout, "blockAdmission": False}
        return {"waitForPodsReady": {**settings, "requeuingStrategy": requeuing}}
    if version < UNDECLARED_RESOURCES_MAY_BE_IGNORED:
        return {}
    return {"featureGates": {"DisableWaitForPodsReady": True}}
