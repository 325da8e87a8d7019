"""What a cluster holds of the kinds that an import reads: only lists, so that read-only rights are enough.

Secrets are not among the kinds and never asked for. A kind that may not be listed makes the answer partial, which it says; a
kind that the cluster does not serve is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuplan.cluster.kube import Fault, Kube, Object
from gpuplan.cluster.listing import Listed, listed, lists
from gpuplan.cluster.rights import Right

KUEUE: Final = "kueue.x-k8s.io"
MONITORING: Final = "monitoring.coreos.com"
KINDS: Final = (
    Listed("", "nodes", ("v1",), "Node"),
    Listed("", "namespaces", ("v1",), "Namespace"),
    Listed("", "configmaps", ("v1",), "ConfigMap"),
    Listed("", "resourcequotas", ("v1",), "ResourceQuota"),
    Listed("scheduling.k8s.io", "priorityclasses", ("v1",), "PriorityClass"),
    Listed("apps", "daemonsets", ("v1",), "DaemonSet"),
    Listed("node.k8s.io", "runtimeclasses", ("v1",), "RuntimeClass"),
    Listed(KUEUE, "resourceflavors", ("v1beta2", "v1beta1"), "ResourceFlavor"),
    Listed(KUEUE, "topologies", ("v1beta2", "v1beta1", "v1alpha1"), "Topology"),
    Listed(KUEUE, "cohorts", ("v1beta2", "v1beta1", "v1alpha1"), "Cohort"),
    Listed(KUEUE, "clusterqueues", ("v1beta2", "v1beta1"), "ClusterQueue"),
    Listed(KUEUE, "localqueues", ("v1beta2", "v1beta1"), "LocalQueue"),
    Listed(KUEUE, "workloadpriorityclasses", ("v1beta2", "v1beta1"), "WorkloadPriorityClass"),
    Listed(KUEUE, "admissionchecks", ("v1beta2", "v1beta1"), "AdmissionCheck"),
    Listed("nvidia.com", "clusterpolicies", ("v1",), "ClusterPolicy"),
    Listed("nvidia.com", "nvidiadrivers", ("v1alpha1",), "NVIDIADriver"),
    Listed("nfd.k8s-sigs.io", "nodefeaturerules", ("v1alpha1",), "NodeFeatureRule"),
    Listed("karpenter.sh", "nodepools", ("v1", "v1beta1"), "NodePool"),
    Listed("machine.openshift.io", "machinesets", ("v1beta1",), "MachineSet"),
    Listed(MONITORING, "prometheusrules", ("v1",), "PrometheusRule"),
    Listed(MONITORING, "servicemonitors", ("v1",), "ServiceMonitor"),
    Listed(MONITORING, "podmonitors", ("v1",), "PodMonitor"),
    Listed("scheduling.volcano.sh", "queues", ("v1beta1",), "Queue"),
)
"""What an import reads, in the order in which it is asked for."""


def import_rights() -> tuple[Right, ...]:
    """Return the rights that an import needs."""
    return tuple(Right(group=one.group, resource=one.plural, verb="list", why=f"read each {one.kind}") for one in KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The objects as the server gave them, and the kinds that it did not let us list, each with why."""

    kubernetes: str
    objects: tuple[Object, ...]
    refused: Mapping[str, str]

    @property
    def partial(self) -> bool:
        """Whether something may be missing."""
        return bool(self.refused)


def snapshot(kube: Kube) -> Snapshot | Fault:
    """List every kind. A Fault where the server cannot be reached at all."""
    kinds = {kind.kind: kind for kind in KINDS}
    seen = lists(kube, kinds, lambda kind: listed(kube, kinds[kind]))
    if isinstance(seen, Fault):
        return seen
    objects = tuple(made for found in seen.objects.values() for made in found)
    return Snapshot(kubernetes=seen.kubernetes, objects=objects, refused=seen.refused)
