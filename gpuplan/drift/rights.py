"""The rights that a look for drift needs: to list each kind, and to patch it in dry runs alone.

Kubernetes has no right to dry runs only; `docs/drift.md` has a policy that lets an account do nothing else. Without the right
to patch the look is partial, and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from gpuplan.cluster.rights import Right, rights

_KUEUE: Final = "kueue.x-k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_MONITORING: Final = "monitoring.coreos.com"
_ARGOCD: Final = "argoproj.io"
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "AppProject": (_ARGOCD, "appprojects"),
    "Application": (_ARGOCD, "applications"),
    "ApplicationSet": (_ARGOCD, "applicationsets"),
    "ClusterPolicy": ("nvidia.com", "clusterpolicies"),
    "ClusterQueue": (_KUEUE, "clusterqueues"),
    "ClusterRole": (_RBAC, "clusterroles"),
    "ClusterRoleBinding": (_RBAC, "clusterrolebindings"),
    "Cohort": (_KUEUE, "cohorts"),
    "ConfigMap": ("", "configmaps"),
    "DaemonSet": ("apps", "daemonsets"),
    "Deployment": ("apps", "deployments"),
    "DeviceClass": ("resource.k8s.io", "deviceclasses"),
    "DeviceConfig": ("amd.com", "deviceconfigs"),
    "LocalQueue": (_KUEUE, "localqueues"),
    "NVIDIADriver": ("nvidia.com", "nvidiadrivers"),
    "Namespace": ("", "namespaces"),
    "NodeFeatureRule": ("nfd.k8s-sigs.io", "nodefeaturerules"),
    "NodeReadinessRule": ("readiness.node.x-k8s.io", "nodereadinessrules"),
    "PodDisruptionBudget": ("policy", "poddisruptionbudgets"),
    "PodMonitor": (_MONITORING, "podmonitors"),
    "PriorityClass": ("scheduling.k8s.io", "priorityclasses"),
    "PrometheusRule": (_MONITORING, "prometheusrules"),
    "ResourceClaimTemplate": ("resource.k8s.io", "resourceclaimtemplates"),
    "ResourceFlavor": (_KUEUE, "resourceflavors"),
    "ResourceQuota": ("", "resourcequotas"),
    "Role": (_RBAC, "roles"),
    "RoleBinding": (_RBAC, "rolebindings"),
    "RuntimeClass": ("node.k8s.io", "runtimeclasses"),
    "Service": ("", "services"),
    "ServiceAccount": ("", "serviceaccounts"),
    "ServiceMonitor": (_MONITORING, "servicemonitors"),
    "Topology": (_KUEUE, "topologies"),
    "ValidatingAdmissionPolicy": (_ADMISSION, "validatingadmissionpolicies"),
    "ValidatingAdmissionPolicyBinding": (_ADMISSION, "validatingadmissionpolicybindings"),
    "WorkloadPriorityClass": (_KUEUE, "workloadpriorityclasses"),
}
"""Group and plural name of each kind that gpuplan renders."""
COMPARED: Final = frozenset({"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"})
"""Kinds that are compared without a dry run: to patch them one needs all the rights that they grant. They have no defaults
that we leave to the server, and nothing else changes them."""
QUOTAS: Final = (
    (f"{_KUEUE}/v1beta2", "ClusterQueue"),
    (f"{_KUEUE}/v1beta2", "Cohort"),
    (f"{_KUEUE}/v1beta2", "LocalQueue"),
    ("v1", "ResourceQuota"),
)
"""Kinds that are listed even where none is rendered: one of others changes what our quotas give."""


def needed(kinds: Collection[str]) -> tuple[Right, ...]:
    """Return the rights for a rendered tree with these kinds."""
    found: list[Right] = []
    for kind in sorted({*kinds, *(kind for _, kind in QUOTAS)} & KINDS.keys()):
        group, plural = KINDS[kind]
        found += rights("list", group, plural, "to read what is there")
        if kind in kinds and kind not in COMPARED:
            found += rights("patch", group, plural, "to ask what an apply would change", dry_run=True)
    return tuple(found)


RIGHTS: Final = needed(KINDS.keys())
"""The rights for any rendered tree."""
