"""What the fleet's own project permits: exactly the kinds that gpuplan can render, whether or not the fleet has any now.

A list decides not only what Argo CD may make, but also what it can take away, since live objects that the project does not
permit are invisible to it and never pruned. Any switch of the spec may leave something behind: dashboards turned off, the
last pool of a stack, a guard rail. So the kinds do not follow the fleet.

Names follow what gpuplan can render, too. Only namespaces are permitted one by one, as any other rule would be one for all
namespaces of the cluster: one that leaves the fleet stays, with all that is in it, until a person deletes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan import conventions
from gpuplan.manifests.kinds.argocd import GroupKind

OURS = f"{conventions.OWN_PREFIX}*"
ANY_NAME = ""

OF_CLUSTERS: tuple[tuple[str, str, str], ...] = (
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", OURS),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", OURS),
    ("kueue.x-k8s.io", "ClusterQueue", ANY_NAME),
    ("kueue.x-k8s.io", "Cohort", ANY_NAME),
    ("kueue.x-k8s.io", "ResourceFlavor", ANY_NAME),
    ("kueue.x-k8s.io", "Topology", ANY_NAME),
    ("kueue.x-k8s.io", "WorkloadPriorityClass", ANY_NAME),
    ("nfd.k8s-sigs.io", "NodeFeatureRule", OURS),
    ("node.k8s.io", "RuntimeClass", conventions.RUNTIME_CLASS),
    ("nvidia.com", "ClusterPolicy", conventions.CLUSTER_POLICY),
    ("nvidia.com", "NVIDIADriver", OURS),
    ("rbac.authorization.k8s.io", "ClusterRole", OURS),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", OURS),
    ("readiness.node.x-k8s.io", "NodeReadinessRule", OURS),
    ("resource.k8s.io", "DeviceClass", f"*.{conventions.LABEL_DOMAIN}"),
    ("scheduling.k8s.io", "PriorityClass", OURS),
)
"""(API group, kind, names) outside namespaces, but Namespaces themselves. Kueue's objects have names from the spec alone, and
whoever runs gpuplan's queues runs all of the cluster's."""

IN_NAMESPACES: tuple[tuple[str, str], ...] = (
    ("", "ConfigMap"),
    ("", "ResourceQuota"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("amd.com", "DeviceConfig"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("kueue.x-k8s.io", "LocalQueue"),
    ("monitoring.coreos.com", "PodMonitor"),
    ("monitoring.coreos.com", "PrometheusRule"),
    ("monitoring.coreos.com", "ServiceMonitor"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
)
"""(API group, kind) in the namespaces that the project has as destinations. Argo CD reads no names there."""


def of_clusters(namespaces: Iterable[str]) -> list[GroupKind]:
    """Return what is permitted outside namespaces, with the Namespaces of these names."""
    named: list[GroupKind] = [{"group": "", "kind": "Namespace", "name": name} for name in sorted(set(namespaces))]
    others = (_permitted(group, kind, name) for group, kind, name in OF_CLUSTERS)
    return [*named, *others]


def in_namespaces() -> list[GroupKind]:
    """Return what is permitted in namespaces."""
    return [{"group": group, "kind": kind} for group, kind in IN_NAMESPACES]


def _permitted(group: str, kind: str, name: str) -> GroupKind:
    return {"group": group, "kind": kind, "name": name} if name else {"group": group, "kind": kind}
