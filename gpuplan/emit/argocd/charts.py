"""How a program that clusters need is installed: a pinned chart, an Application for each cluster, and a project of its own.

Its project may touch what the chart makes with our values, and nothing of the fleet's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuplan.emit.argocd.shared import COMPARED, DELIVERY, destination, manifest, metadata, project, sync_policy
from gpuplan.emit.sync_windows import with_windows
from gpuplan.manifests.kinds import Application, AppProject
from gpuplan.manifests.kinds.argocd import AppProjectSpec, GroupKind
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A program that gpuplan installs. Functions of a name make that of an object from the fleet's or cluster's."""

    what: str
    """The program, for people."""
    component: str
    """The release's component with its chart and version."""
    release: str
    """Name of the Helm release."""
    project_name: Callable[[str], str]
    application_name: Callable[[str], str]
    chart_version: Callable[[str], str]
    """Spells a version as the chart's repository does."""
    namespace: Callable[[Cluster], str]
    """Where it runs."""
    namespaces: Callable[[Cluster], list[str]]
    """Where the chart writes."""
    cluster_kinds: Callable[[Sequence[Cluster]], list[GroupKind]]
    """What the chart makes with our values outside namespaces."""
    namespace_kinds: Sequence[GroupKind]
    """What it makes in them."""
    values: Callable[[Fleet, Cluster], dict[str, object]]


def emit(fleet: Fleet, program: Installation, clusters: Sequence[Cluster]) -> Iterator[Manifest]:
    """Yield the project and applications of a program in the clusters that get it from us; nothing where none does."""
    if clusters:
        yield manifest(fleet, _project(fleet, program, clusters), DELIVERY)
    for cluster in clusters:
        yield manifest(fleet, _application(fleet, program, cluster), cluster.path, DELIVERY)


def _chart(program: Installation, cluster: Cluster) -> tuple[str, str]:
    """Return the repository and name of a chart. Argo CD takes an OCI registry without a scheme."""
    repository, _, name = cluster.components[program.component].chart.removeprefix("oci://").rpartition("/")
    return repository, name


def _project(fleet: Fleet, program: Installation, clusters: Sequence[Cluster]) -> AppProject:
    spec: AppProjectSpec = {
        "description": f"{program.what} in the clusters of GPU fleet {fleet.name}",
        "sourceRepos": sorted({_chart(program, cluster)[0] for cluster in clusters}),
        "destinations": [
            destination(cluster, namespace) for cluster in clusters for namespace in program.namespaces(cluster)
        ],
        "clusterResourceWhitelist": program.cluster_kinds(clusters),
        "namespaceResourceWhitelist": list(program.namespace_kinds),
    }
    name = program.project_name(fleet.delivery.project)
    return project(fleet, name, with_windows(spec, fleet, clusters, program.application_name))


def _application(fleet: Fleet, program: Installation, cluster: Cluster) -> Application:
    repository, chart = _chart(program, cluster)
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata(fleet, program.application_name(cluster.name), COMPARED),
        "spec": {
            "project": program.project_name(fleet.delivery.project),
            "source": {
                "repoURL": repository,
                "chart": chart,
                "targetRevision": program.chart_version(str(cluster.components[program.component].version)),
                "helm": {"releaseName": program.release, "valuesObject": program.values(fleet, cluster)},
            },
            "destination": destination(cluster, program.namespace(cluster)),
            "syncPolicy": sync_policy("CreateNamespace=true", "Prune=confirm", "Delete=confirm"),
        },
    }
