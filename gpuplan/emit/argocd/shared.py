"""What all projects and applications have in common."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath
from gpuplan.emit.base import origin
from gpuplan.manifests.kinds import Application, ApplicationSet, AppProject
from gpuplan.manifests.kinds.argocd import ApplicationDestination, AppProjectSpec, SyncPolicy
from gpuplan.manifests.kinds.meta import NamespacedMeta, StringMap
from gpuplan.manifests.set import HUB_AREA, Manifest
from gpuplan.model.fleet import Cluster, Fleet

DELIVERY: KeyPath = ("delivery", "argocd")

COMPARED = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
"""Annotation of Applications: what is in sync is what the API server would not change, defaults of CRDs included."""


def manifest(fleet: Fleet, made: AppProject | Application | ApplicationSet, path: KeyPath, *also: KeyPath) -> Manifest:
    """Place an object of Argo CD's own cluster. The paths name the spec entries that shaped it, the main one first."""
    others = tuple(origin(fleet, other) for other in also)
    return Manifest(object={**made}, cluster=None, area=HUB_AREA, origin=origin(fleet, path), also=others)


def metadata(fleet: Fleet, name: str, annotations: StringMap | None = None) -> NamespacedMeta:
    """Return the metadata of an object in Argo CD's namespace."""
    made: NamespacedMeta = {
        "name": name,
        "namespace": fleet.delivery.namespace,
        "labels": {conventions.LABEL_MANAGED_BY: conventions.MANAGED_BY},
    }
    return {**made, "annotations": annotations} if annotations else made


def destination(cluster: Cluster, namespace: str) -> ApplicationDestination:
    """Return a namespace of a cluster, as Argo CD knows the cluster."""
    target = cluster.destination
    if target.server:
        return {"server": target.server, "namespace": namespace}
    return {"name": target.name, "namespace": namespace}


def project(fleet: Fleet, name: str, spec: AppProjectSpec) -> AppProject:
    """Return a project."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": metadata(fleet, name),
        "spec": spec,
    }


def by_name(fleet: Fleet) -> list[Cluster]:
    """Return the clusters in an order that does not follow the files of the spec."""
    return sorted(fleet.clusters, key=lambda cluster: cluster.name)


def sync_policy(*options: str) -> SyncPolicy:
    """Return how every application follows Git. The retries outlast the time in which Kueue's webhooks do not answer."""
    return {
        "automated": {"prune": True, "selfHeal": True},
        "syncOptions": [
            "ServerSideApply=true",
            "PruneLast=true",
            "FailOnSharedResource=true",
            "ApplyOutOfSyncOnly=true",
            *options,
        ],
        "retry": {"limit": 8, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"}},
    }
