"""The clusters' own project, and the Application of each that syncs its folder of the output."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import agents, amd
from gpuplan.emit.argocd.shared import DELIVERY, by_name, destination, manifest, metadata, project, sync_policy
from gpuplan.emit.sync_windows import with_windows
from gpuplan.manifests.kinds import Application, AppProject
from gpuplan.manifests.kinds.argocd import ApplicationSource, AppProjectSpec, GroupKind
from gpuplan.manifests.set import Manifest, ObjectKey
from gpuplan.model.fleet import Cluster, Fleet

OWN_GROUPS = ("kueue.x-k8s.io", "nfd.k8s-sigs.io")
"""API groups whose cluster-scoped objects are the fleet's alone, under names from the spec. Others are allowed by name."""

NODE_SIDE_OF_CLUSTERS = frozenset(
    {
        ("nvidia.com", "ClusterPolicy", conventions.CLUSTER_POLICY),
        ("nvidia.com", "NVIDIADriver", f"{conventions.OWN_PREFIX}*"),
        ("rbac.authorization.k8s.io", "ClusterRole", f"{conventions.OWN_PREFIX}*"),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding", f"{conventions.OWN_PREFIX}*"),
    }
)
NODE_SIDE = frozenset(
    {
        ("", "ConfigMap"),
        ("", "Service"),
        ("", "ServiceAccount"),
        ("apps", "DaemonSet"),
        ("monitoring.coreos.com", "ServiceMonitor"),
        ("rbac.authorization.k8s.io", "Role"),
        ("rbac.authorization.k8s.io", "RoleBinding"),
    }
)
"""What some stack has on the nodes' side: permitted on every stack, or agents that the last pool leaves behind when it moves
to another could not be taken away, and two device plugins would offer one card."""

ON_NODES: frozenset[tuple[str, str, str]] = frozenset(
    {
        ("nfd.k8s-sigs.io", "NodeFeatureRule", ""),
        ("readiness.node.x-k8s.io", "NodeReadinessRule", f"{conventions.OWN_PREFIX}*"),
    }
)
"""What others' controllers act on as long as it exists: permitted whether or not the fleet has any now, or a rule that the
spec no longer asks for would go on labelling and tainting nodes."""

OF_PODS = frozenset({("policy", "PodDisruptionBudget")})
"""The same in namespaces: a budget that nobody asks for any more would go on holding up drains."""

OF_AMD = frozenset({("amd.com", "DeviceConfig")})
"""What AMD's operator runs its agents by: permitted as long as there are AMD cards, whoever runs the agents now."""


def emit(fleet: Fleet, manifests: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield the project and its applications. `manifests` is all that the clusters get: the allow list follows it."""
    yield manifest(fleet, _fleet_project(fleet, manifests), DELIVERY)
    for cluster in fleet.clusters:
        yield manifest(fleet, _cluster_application(fleet, cluster), cluster.path, DELIVERY)


def _fleet_project(fleet: Fleet, manifests: Sequence[Manifest]) -> AppProject:
    keyed = [(one.cluster, one.key) for one in manifests]
    cluster_kinds = {_permitted(key) for _, key in keyed if not key.namespace} | ON_NODES
    namespace_kinds = {_group_kind(key) for _, key in keyed if key.namespace} | OF_PODS
    if any(agents.nvidia_pools(cluster) for cluster in fleet.clusters):
        cluster_kinds |= NODE_SIDE_OF_CLUSTERS
        namespace_kinds |= NODE_SIDE
    if any(map(_has_amd_cards, fleet.clusters)):
        namespace_kinds |= OF_AMD
    namespaces = {cluster.name: _always(cluster) for cluster in fleet.clusters}
    for cluster, key in keyed:
        namespaces[str(cluster)].add(key.namespace)
    spec: AppProjectSpec = {
        "description": f"The clusters of GPU fleet {fleet.name}",
        "sourceRepos": [fleet.delivery.repo_url],
        "destinations": [
            destination(cluster, namespace)
            for cluster in by_name(fleet)
            for namespace in sorted(namespaces[cluster.name] - {""})
        ],
        "clusterResourceWhitelist": [_whitelisted(*permitted) for permitted in sorted(cluster_kinds)],
        "namespaceResourceWhitelist": [{"group": group, "kind": kind} for group, kind in sorted(namespace_kinds)],
    }
    return project(
        fleet, fleet.delivery.project, with_windows(spec, fleet, fleet.clusters, conventions.application_name)
    )


def _has_amd_cards(cluster: Cluster) -> bool:
    return any(pool.card.vendor is Vendor.AMD for pool in cluster.pools)


def _always(cluster: Cluster) -> set[str]:
    """Return the namespaces of a cluster in which Argo CD may clear up, whatever is rendered for them now."""
    return {conventions.SYSTEM_NAMESPACE, *([amd.namespace(cluster)] if _has_amd_cards(cluster) else [])}


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
        "metadata": metadata(
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
            "destination": destination(cluster, conventions.SYSTEM_NAMESPACE),
            "syncPolicy": sync_policy("ApplyOutOfSyncOnly=true"),
        },
    }
