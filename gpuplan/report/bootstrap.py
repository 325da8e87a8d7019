"""`rendered/bootstrap/readme.md`: what a person does once so that Argo CD looks after a fleet, with commands to copy.

All commands can be given again: they look, or bring about what is already there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.emit import argocd
from gpuplan.emit.argocd import bootstrap
from gpuplan.emit.argocd.shared import DELIVERY
from gpuplan.emit.base import origin
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Cluster, Fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that Argo CD installs in a cluster, or that others have installed there."""

    name: str
    managed: bool
    application: str
    look: str
    """Command that prints something where the program runs; `kubectl` stands for the cluster's."""
    key: str
    """Key of the spec, below the cluster's, that leaves it to others."""


def texts(fleet: Fleet) -> Iterator[TextFile]:
    """Yield all files of the folder."""
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs those that render no texts

    yield from bootstrap.texts(fleet)
    delivery = fleet.delivery
    clusters = sorted(fleet.clusters, key=lambda cluster: cluster.name)
    text = filled(
        "bootstrap.md.j2",
        fleet=fleet,
        clusters=clusters,
        programs=[(cluster, program) for cluster in clusters for program in _programs(cluster)],
        names=_names(fleet),
        files=bootstrap,
        root=conventions.root_application_name(delivery.project),
        namespace=delivery.namespace,
        output=delivery.path.strip("/"),
    )
    path = f"{bootstrap.FOLDER}/readme.md"
    yield TextFile(path=path, text=text, origin=origin(fleet, DELIVERY), commented=False)


def _programs(cluster: Cluster) -> Iterator[Program]:
    yield Program(
        name="Kueue",
        managed=cluster.kueue.managed,
        application=conventions.kueue_application_name(cluster.name),
        look="get deployments --all-namespaces --selector app.kubernetes.io/name=kueue",
        key="kueue",
    )
    if cluster.has_operator:
        yield Program(
            name="the GPU Operator",
            managed=cluster.gpu_operator.managed,
            application=conventions.gpu_operator_application_name(cluster.name),
            look="get deployments --all-namespaces --selector app.kubernetes.io/component=gpu-operator",
            key="gpuOperator",
        )


def _names(fleet: Fleet) -> dict[str, list[str]]:
    """Return the names that the fleet takes in Argo CD, by kind, sorted."""
    keys = [made.key for made in argocd.emit(fleet, ())]
    applications = {conventions.application_name(cluster.name) for cluster in fleet.clusters}
    root = conventions.root_application_name(fleet.delivery.project)
    named = {
        "appprojects": {conventions.root_project_name(fleet.delivery.project)},
        "applications": {root, *applications},
        "applicationsets": set[str](),
    }
    for key in keys:
        named[f"{key.kind.lower()}s"].add(key.name)
    return {kind: sorted(names) for kind, names in named.items() if names}
