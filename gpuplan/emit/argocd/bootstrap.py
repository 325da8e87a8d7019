"""What a person gives Argo CD once, so that it looks after all the rest: `rendered/bootstrap/`, which nothing syncs.

The root is an Application of the folder `argocd/`, with a project that may hold Argo CD's own kinds in its own namespace and
nothing else. It lies outside what it syncs: an Application that is part of itself would wait for its own health. Its objects
have no waves, or its sync would last until every cluster is healthy.

Health texts are a part of `argocd-cm`, never all of it: whoever installed Argo CD owns that ConfigMap.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.emit.argocd import health
from gpuplan.emit.argocd.shared import COMPARED, DELIVERY, metadata, project, sync_policy
from gpuplan.emit.base import origin
from gpuplan.manifests.kinds import Application, AppProject, ConfigMap
from gpuplan.manifests.kinds.argocd import ApplicationDestination
from gpuplan.manifests.set import HUB_AREA, TextFile
from gpuplan.manifests.write import object_text, yaml_text
from gpuplan.model.fleet import Fleet

FOLDER = "bootstrap"
ROOT_PROJECT = f"{FOLDER}/root-project.yaml"
ROOT_APPLICATION = f"{FOLDER}/root-application.yaml"
HEALTH = f"{FOLDER}/argocd-cm.health.yaml"
CHART_VALUES = f"{FOLDER}/argo-cd.values.yaml"
"""The same health texts as values of Argo CD's chart."""

OWN_CLUSTER = "https://kubernetes.default.svc"
"""The address by which Argo CD knows the cluster that it runs in."""
ARGOCD_CM = "argocd-cm"
CONFIRMED = ("Prune=confirm", "Delete=confirm")
"""An Application that goes leaves its cluster without anybody who looks after it: a person confirms that."""


def texts(fleet: Fleet) -> Iterator[TextFile]:
    """Yield the root, and the health texts for the kinds that the fleet has."""
    settings = health.settings(kinds(fleet))
    made: Mapping[str, str] = {
        ROOT_PROJECT: object_text({**_root_project(fleet)}),
        ROOT_APPLICATION: object_text({**_root_application(fleet)}),
        HEALTH: object_text({**_health(fleet, settings)}),
        CHART_VALUES: yaml_text({"configs": {"cm": settings}}),
    }
    for path, text in made.items():
        yield TextFile(path=path, text=text, origin=origin(fleet, DELIVERY))


def kinds(fleet: Fleet) -> Iterator[tuple[str, str]]:
    """Yield (API group, kind) of what the fleet's clusters and Argo CD get and whose health we know."""
    yield "argoproj.io", "Application"
    if any(cluster.cohorts_with_queues or cluster.adopted.of("ClusterQueue") for cluster in fleet.clusters):
        yield health.KUEUE_GROUP, "ClusterQueue"
        yield health.KUEUE_GROUP, "LocalQueue"
    if any(cluster.has_operator for cluster in fleet.clusters):
        yield health.NVIDIA_GROUP, "ClusterPolicy"
    if any(cluster.operator_driver_pools for cluster in fleet.clusters):
        yield health.NVIDIA_GROUP, "NVIDIADriver"


def _hub(fleet: Fleet) -> ApplicationDestination:
    return {"server": OWN_CLUSTER, "namespace": fleet.delivery.namespace}


def _root_project(fleet: Fleet) -> AppProject:
    return project(
        fleet,
        conventions.root_project_name(fleet.delivery.project),
        {
            "description": f"The projects and applications of GPU fleet {fleet.name}",
            "sourceRepos": [fleet.delivery.repo_url],
            "destinations": [_hub(fleet)],
            "namespaceResourceWhitelist": [
                {"group": "argoproj.io", "kind": kind} for kind in ("AppProject", "Application", "ApplicationSet")
            ],
        },
    )


def _root_application(fleet: Fleet) -> Application:
    delivery = fleet.delivery
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata(fleet, conventions.root_application_name(delivery.project), COMPARED),
        "spec": {
            "project": conventions.root_project_name(delivery.project),
            "source": {
                "repoURL": delivery.repo_url,
                "targetRevision": delivery.target_revision,
                "path": posixpath.normpath(posixpath.join(delivery.path, HUB_AREA)),
                "directory": {"recurse": True, "include": "*.yaml"},
            },
            "destination": _hub(fleet),
            "syncPolicy": sync_policy(*CONFIRMED),
        },
    }


def _health(fleet: Fleet, settings: Mapping[str, str]) -> ConfigMap:
    """Return our part of the ConfigMap; Argo CD reads it by the label, which a new one needs as well."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": ARGOCD_CM,
            "namespace": fleet.delivery.namespace,
            "labels": {"app.kubernetes.io/part-of": "argocd"},
        },
        "data": dict(settings),
    }
