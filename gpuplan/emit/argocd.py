"""Argo CD: who may sync what, one Application for each cluster, and one for each Kueue that gpuplan installs.

Allow lists are exact: no `*`, no kind that is not synced, no namespace that is not used. A list also decides what Argo CD
can take away, since live objects that the project does not permit are invisible to it and never pruned. So kinds that
come and go with the fleet are allowed by kind or by our name prefix, the rest by name. A namespace that leaves the fleet
therefore stays, with all that is in it, until a person deletes it.

No Application has the resources finalizer: deleting one leaves the fleet running.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath
from gpuplan.emit.base import origin
from gpuplan.emit.kueue import manager_configuration
from gpuplan.emit.sync_windows import with_windows
from gpuplan.manifests.kinds import Application, AppProject
from gpuplan.manifests.kinds.argocd import (
    ApplicationDestination,
    ApplicationSource,
    AppProjectSpec,
    GroupKind,
    SyncPolicy,
)
from gpuplan.manifests.kinds.meta import NamespacedMeta, StringMap
from gpuplan.manifests.set import HUB_AREA, Manifest, ObjectKey
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.versions import required

DELIVERY: KeyPath = ("delivery", "argocd")

OWN_GROUPS = ("kueue.x-k8s.io", "nfd.k8s-sigs.io")
"""API groups whose cluster-scoped objects are the fleet's alone, under names from the spec. Others are allowed by name."""

KUEUE_CLUSTER_KINDS: Sequence[GroupKind] = (
    {"group": "", "kind": "Namespace", "name": conventions.KUEUE_NAMESPACE},
    {"group": "admissionregistration.k8s.io", "kind": "MutatingWebhookConfiguration", "name": "kueue-*"},
    {"group": "admissionregistration.k8s.io", "kind": "ValidatingWebhookConfiguration", "name": "kueue-*"},
    {"group": "apiextensions.k8s.io", "kind": "CustomResourceDefinition", "name": "*.kueue.x-k8s.io"},
    {"group": "apiregistration.k8s.io", "kind": "APIService", "name": "*.visibility.kueue.x-k8s.io"},
    {"group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kueue-*"},
    {"group": "rbac.authorization.k8s.io", "kind": "ClusterRoleBinding", "name": "kueue-*"},
)
"""What Kueue's chart makes with our values, outside namespaces and (below) in them."""

KUEUE_NAMESPACE_KINDS: Sequence[GroupKind] = (
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


def emit(fleet: Fleet, manifests: Iterable[Manifest]) -> Iterator[Manifest]:
    """Yield the projects and applications. `manifests` is all that the clusters get: the allow list follows it."""
    yield _manifest(fleet, _fleet_project(fleet, tuple(manifests)), DELIVERY)
    for cluster in fleet.clusters:
        yield _manifest(fleet, _cluster_application(fleet, cluster), cluster.path, DELIVERY)
    managed = [cluster for cluster in _by_name(fleet) if cluster.kueue.managed]
    if managed:
        yield _manifest(fleet, _kueue_project(fleet, managed), DELIVERY)
    for cluster in managed:
        yield _manifest(fleet, _kueue_application(fleet, cluster), cluster.path, DELIVERY)


def _manifest(fleet: Fleet, made: AppProject | Application, path: KeyPath, *also: KeyPath) -> Manifest:
    others = tuple(origin(fleet, other) for other in also)
    return Manifest(object={**made}, cluster=None, area=HUB_AREA, origin=origin(fleet, path), also=others)


def _metadata(fleet: Fleet, name: str, annotations: StringMap | None = None) -> NamespacedMeta:
    made: NamespacedMeta = {
        "name": name,
        "namespace": fleet.delivery.namespace,
        "labels": {conventions.LABEL_MANAGED_BY: conventions.MANAGED_BY},
    }
    return {**made, "annotations": annotations} if annotations else made


def _destination(cluster: Cluster, namespace: str) -> ApplicationDestination:
    target = cluster.destination
    if target.server:
        return {"server": target.server, "namespace": namespace}
    return {"name": target.name, "namespace": namespace}


def _fleet_project(fleet: Fleet, manifests: Sequence[Manifest]) -> AppProject:
    keyed = [(one.cluster, one.key) for one in manifests]
    cluster_kinds = {_permitted(key) for _, key in keyed if not key.namespace}
    namespace_kinds = {_group_kind(key) for _, key in keyed if key.namespace}
    namespaces: dict[str | None, set[str]] = {}
    for cluster, key in keyed:
        namespaces.setdefault(cluster, {conventions.SYSTEM_NAMESPACE}).add(key.namespace)
    spec: AppProjectSpec = {
        "description": f"The clusters of GPU fleet {fleet.name}",
        "sourceRepos": [fleet.delivery.repo_url],
        "destinations": [
            _destination(cluster, namespace)
            for cluster in _by_name(fleet)
            for namespace in sorted(namespaces[cluster.name] - {""})
        ],
        "clusterResourceWhitelist": [_whitelisted(*permitted) for permitted in sorted(cluster_kinds)],
        "namespaceResourceWhitelist": [{"group": group, "kind": kind} for group, kind in sorted(namespace_kinds)],
    }
    return _project(
        fleet, fleet.delivery.project, with_windows(spec, fleet, fleet.clusters, conventions.application_name)
    )


def _project(fleet: Fleet, name: str, spec: AppProjectSpec) -> AppProject:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": _metadata(fleet, name),
        "spec": spec,
    }


def _by_name(fleet: Fleet) -> list[Cluster]:
    """Return the clusters in an order that does not follow the files of the spec."""
    return sorted(fleet.clusters, key=lambda cluster: cluster.name)


def _group_kind(key: ObjectKey) -> tuple[str, str]:
    return key.api_version.rpartition("/")[0], key.kind


def _permitted(key: ObjectKey) -> tuple[str, str, str]:
    """Return the group, kind and name pattern that permit a cluster-scoped object; an empty pattern permits any name."""
    group, kind = _group_kind(key)
    if group in OWN_GROUPS:
        return group, kind, ""
    return group, kind, f"{conventions.OWN_PREFIX}*" if key.name.startswith(conventions.OWN_PREFIX) else key.name


def _whitelisted(group: str, kind: str, name: str) -> GroupKind:
    return {"group": group, "kind": kind, "name": name} if name else {"group": group, "kind": kind}


def _cluster_application(fleet: Fleet, cluster: Cluster) -> Application:
    source: ApplicationSource = {
        "repoURL": fleet.delivery.repo_url,
        "targetRevision": fleet.delivery.target_revision,
        "path": posixpath.normpath(posixpath.join(fleet.delivery.path, "clusters", cluster.name)),
        "directory": {"recurse": True, "include": "*.yaml"},
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": _metadata(
            fleet,
            conventions.application_name(cluster.name),
            {
                "argocd.argoproj.io/compare-options": "ServerSideDiff=true",
                "argocd.argoproj.io/manifest-generate-paths": ".",
            },
        ),
        "spec": {
            "project": fleet.delivery.project,
            "source": source,
            "destination": _destination(cluster, conventions.SYSTEM_NAMESPACE),
            "syncPolicy": _sync_policy("ApplyOutOfSyncOnly=true"),
        },
    }


def _sync_policy(*options: str) -> SyncPolicy:
    """Return how every application follows Git. The retries outlast the time in which Kueue's webhooks do not answer."""
    return {
        "automated": {"prune": True, "selfHeal": True},
        "syncOptions": ["ServerSideApply=true", "PruneLast=true", "FailOnSharedResource=true", *options],
        "retry": {"limit": 8, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"}},
    }


def _chart(cluster: Cluster) -> tuple[str, str]:
    """Return the repository and name of Kueue's chart. Argo CD takes an OCI registry without a scheme."""
    repository, _, name = cluster.components["kueue"].chart.removeprefix("oci://").rpartition("/")
    return repository, name


def _kueue_project(fleet: Fleet, clusters: Sequence[Cluster]) -> AppProject:
    spec: AppProjectSpec = {
        "description": f"Kueue in the clusters of GPU fleet {fleet.name}",
        "sourceRepos": sorted({_chart(cluster)[0] for cluster in clusters}),
        "destinations": [
            _destination(cluster, namespace) for cluster in clusters for namespace in _kueue_namespaces(cluster)
        ],
        "clusterResourceWhitelist": list(KUEUE_CLUSTER_KINDS),
        "namespaceResourceWhitelist": list(KUEUE_NAMESPACE_KINDS),
    }
    name = conventions.kueue_project_name(fleet.delivery.project)
    return _project(fleet, name, with_windows(spec, fleet, clusters, conventions.kueue_application_name))


def _kueue_namespaces(cluster: Cluster) -> list[str]:
    if cluster.kueue.version < KUBE_SYSTEM_IS_LEFT_ALONE:
        return ["kube-system", conventions.KUEUE_NAMESPACE]
    return [conventions.KUEUE_NAMESPACE]


def _kueue_application(fleet: Fleet, cluster: Cluster) -> Application:
    component = cluster.components["kueue"]
    repository, chart = _chart(cluster)
    image = {"repository": component.repository, "tag": component.tag, "pullPolicy": "IfNotPresent"}
    values: dict[str, object] = {
        "enableVisibilityAuthReaderRoleBinding": False,
        "controllerManager": {"manager": {"image": image}},
        "managerConfig": {"controllerManagerConfigYaml": yaml_text(manager_configuration(cluster))},
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": _metadata(
            fleet,
            conventions.kueue_application_name(cluster.name),
            {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"},
        ),
        "spec": {
            "project": conventions.kueue_project_name(fleet.delivery.project),
            "source": {
                "repoURL": repository,
                "chart": chart,
                "targetRevision": str(component.version).removeprefix("v"),
                "helm": {"releaseName": conventions.KUEUE_RELEASE, "valuesObject": values},
            },
            "destination": _destination(cluster, conventions.KUEUE_NAMESPACE),
            "syncPolicy": _sync_policy("CreateNamespace=true", "Prune=confirm", "Delete=confirm"),
        },
    }
