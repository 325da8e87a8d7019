"""The GPU Operator's installation. Its chart also makes the ClusterPolicy, from values (docs/decisions/0008)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplan import conventions
from gpuplan.emit import gpu_operator
from gpuplan.emit.argocd.charts import Installation
from gpuplan.manifests.kinds.argocd import GroupKind
from gpuplan.model.fleet import Cluster

NAMES = f"{conventions.OPERATOR_RELEASE}*"
"""How the chart's objects outside namespaces are named, whatever the release."""

NAMESPACE_KINDS: Sequence[GroupKind] = (
    {"group": "", "kind": "ServiceAccount"},
    {"group": "apps", "kind": "Deployment"},
    {"group": "batch", "kind": "Job"},
    {"group": "rbac.authorization.k8s.io", "kind": "Role"},
    {"group": "rbac.authorization.k8s.io", "kind": "RoleBinding"},
)


def _cluster_kinds(clusters: Sequence[Cluster]) -> list[GroupKind]:
    names = sorted(set(map(_namespace, clusters)))
    namespaces: list[GroupKind] = [{"group": "", "kind": "Namespace", "name": name} for name in names]
    return [
        *namespaces,
        {"group": "admissionregistration.k8s.io", "kind": "ValidatingAdmissionPolicy", "name": NAMES},
        {"group": "admissionregistration.k8s.io", "kind": "ValidatingAdmissionPolicyBinding", "name": NAMES},
        {"group": "apiextensions.k8s.io", "kind": "CustomResourceDefinition", "name": "*.nvidia.com"},
        {"group": "nvidia.com", "kind": "ClusterPolicy", "name": conventions.CLUSTER_POLICY},
        {"group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAMES},
        {"group": "rbac.authorization.k8s.io", "kind": "ClusterRoleBinding", "name": NAMES},
    ]


def _namespace(cluster: Cluster) -> str:
    return cluster.gpu_operator.namespace


GPU_OPERATOR = Installation(
    what="The NVIDIA GPU Operator",
    component="gpuOperator",
    release=conventions.OPERATOR_RELEASE,
    project_name=conventions.gpu_operator_project_name,
    application_name=conventions.gpu_operator_application_name,
    chart_version=str,
    namespace=_namespace,
    namespaces=lambda cluster: [_namespace(cluster)],
    cluster_kinds=_cluster_kinds,
    namespace_kinds=NAMESPACE_KINDS,
    values=gpu_operator.chart_values,
)
