"""Kueue's installation."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplan import conventions
from gpuplan.emit.argocd.charts import Installation
from gpuplan.emit.kueue import manager_configuration
from gpuplan.manifests.kinds.argocd import GroupKind
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.versions import required

CLUSTER_KINDS: Sequence[GroupKind] = (
    {"group": "", "kind": "Namespace", "name": conventions.KUEUE_NAMESPACE},
    {"group": "admissionregistration.k8s.io", "kind": "MutatingWebhookConfiguration", "name": "kueue-*"},
    {"group": "admissionregistration.k8s.io", "kind": "ValidatingWebhookConfiguration", "name": "kueue-*"},
    {"group": "apiextensions.k8s.io", "kind": "CustomResourceDefinition", "name": "*.kueue.x-k8s.io"},
    {"group": "apiregistration.k8s.io", "kind": "APIService", "name": "*.visibility.kueue.x-k8s.io"},
    {"group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kueue-*"},
    {"group": "rbac.authorization.k8s.io", "kind": "ClusterRoleBinding", "name": "kueue-*"},
)
"""What Kueue's chart makes with our values, outside namespaces and (below) in them."""

NAMESPACE_KINDS: Sequence[GroupKind] = (
    {"group": "", "kind": "ConfigMap"},
    {"group": "", "kind": "Secret"},
    {"group": "", "kind": "Service"},
    {"group": "", "kind": "ServiceAccount"},
    {"group": "apps", "kind": "Deployment"},
    {"group": "rbac.authorization.k8s.io", "kind": "Role"},
    {"group": "rbac.authorization.k8s.io", "kind": "RoleBinding"},
)

KUBE_SYSTEM_IS_LEFT_ALONE = required("0.19")
"""Older charts of Kueue put a RoleBinding into kube-system, whatever the values say."""


def _namespaces(cluster: Cluster) -> list[str]:
    if cluster.kueue.version < KUBE_SYSTEM_IS_LEFT_ALONE:
        return ["kube-system", conventions.KUEUE_NAMESPACE]
    return [conventions.KUEUE_NAMESPACE]


def _values(_: Fleet, cluster: Cluster) -> dict[str, object]:
    component = cluster.components["kueue"]
    image = {"repository": component.repository, "tag": component.tag, "pullPolicy": "IfNotPresent"}
    return {
        "enableVisibilityAuthReaderRoleBinding": False,
        "controllerManager": {"manager": {"image": image}},
        "managerConfig": {"controllerManagerConfigYaml": yaml_text(manager_configuration(cluster))},
    }


KUEUE = Installation(
    what="Kueue",
    component="kueue",
    release=conventions.KUEUE_RELEASE,
    project_name=conventions.kueue_project_name,
    application_name=conventions.kueue_application_name,
    chart_version=lambda version: version.removeprefix("v"),
    namespace=lambda _: conventions.KUEUE_NAMESPACE,
    namespaces=_namespaces,
    cluster_kinds=lambda _: list(CLUSTER_KINDS),
    namespace_kinds=NAMESPACE_KINDS,
    values=_values,
)
