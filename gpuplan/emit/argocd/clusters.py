"""The clusters' own project, and what syncs the folder of each of them: an Application each, or one ApplicationSet."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.emit import amd
from gpuplan.emit.argocd import permitted
from gpuplan.emit.argocd.application_set import CLUSTER, DESTINATION, application_set
from gpuplan.emit.argocd.shared import (
    COMPARED,
    DELIVERY,
    by_name,
    destination,
    manifest,
    metadata,
    project,
    sync_policy,
)
from gpuplan.emit.sync_windows import with_windows
from gpuplan.manifests.kinds import Application, AppProject
from gpuplan.manifests.kinds.argocd import ApplicationDestination, AppProjectSpec
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet


def emit(fleet: Fleet, manifests: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield the project and its applications. `manifests` is all that the clusters get: its namespaces are permitted."""
    yield manifest(fleet, _fleet_project(fleet, manifests), DELIVERY)
    if fleet.delivery.as_set:
        clusters = by_name(fleet)
        made = application_set(fleet, clusters, _application(fleet, CLUSTER, DESTINATION))
        yield manifest(fleet, made, DELIVERY, *(cluster.path for cluster in clusters))
        return
    for cluster in fleet.clusters:
        target = destination(cluster, conventions.SYSTEM_NAMESPACE)
        yield manifest(fleet, _application(fleet, cluster.name, target), cluster.path, DELIVERY)


def _fleet_project(fleet: Fleet, manifests: Sequence[Manifest]) -> AppProject:
    keyed = [(one.cluster, one.key) for one in manifests]
    namespaces = {cluster.name: _always(cluster) for cluster in fleet.clusters}
    for cluster_name, key in keyed:
        namespaces[str(cluster_name)].add(key.namespace)
    spec: AppProjectSpec = {
        "description": f"The clusters of GPU fleet {fleet.name}",
        "sourceRepos": [fleet.delivery.repo_url],
        "destinations": [
            destination(cluster, namespace)
            for cluster in by_name(fleet)
            for namespace in sorted(namespaces[cluster.name] - {""})
        ],
        "clusterResourceWhitelist": permitted.of_clusters(key.name for _, key in keyed if key.kind == "Namespace"),
        "namespaceResourceWhitelist": permitted.in_namespaces(),
    }
    return project(
        fleet, fleet.delivery.project, with_windows(spec, fleet, fleet.clusters, conventions.application_name)
    )


def _always(cluster: Cluster) -> set[str]:
    """Return the namespaces of a cluster in which Argo CD may clear up whatever is rendered for them now.

    AMD's operator would run agents by a DeviceConfig that stays. What stays in the namespace of NVIDIA's is read by nobody,
    and that the namespace is permitted tells a later render that the operator was there (validate/leaving.py).
    """
    return {conventions.SYSTEM_NAMESPACE, amd.namespace(cluster)}


def _application(fleet: Fleet, cluster: str, target: ApplicationDestination) -> Application:
    """Return the Application of a cluster, by its name and where Argo CD finds it."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata(
            fleet,
            conventions.application_name(cluster),
            {**COMPARED, "argocd.argoproj.io/manifest-generate-paths": "."},
        ),
        "spec": {
            "project": fleet.delivery.project,
            "source": {
                "repoURL": fleet.delivery.repo_url,
                "targetRevision": fleet.delivery.target_revision,
                "path": posixpath.normpath(posixpath.join(fleet.delivery.path, "clusters", cluster)),
                "directory": {"recurse": True, "include": "*.yaml"},
            },
            "destination": target,
            "syncPolicy": sync_policy(),
        },
    }
