"""The example's first cluster in Argo CD's hands: its repository, its project and Application, and what the server holds.

The charts of Kueue and of the GPU Operator are not synced: their repositories are out of a test's reach. Kueue runs beside
the API server as in all our tests, and the CRDs of what others install are loaded.
"""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.controlplane.argocd import ArgoCD, is_synced
from tests.controlplane.argocd_repository import Key, Repository, key
from tests.controlplane.client import Object
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.test_acceptance_example import kueue_configuration

CLUSTER = "prod-eu"
APPLICATION = f"gpuplan-{CLUSTER}"
PROJECT = "acme"
REPOSITORY = "https://git.acme.example/platform/gpu-fleet.git"
SERVER = f"https://{CLUSTER}.k8s.acme.example:6443"
OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "deletionTimestamp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A cluster that Argo CD syncs from a repository."""

    plane: ControlPlane
    argo: ArgoCD
    repository: Repository

    def addresses(self) -> Mapping[str, str]:
        """Return what stands in the example for the repository and the API server, and what they are here."""
        return {REPOSITORY: self.repository.url, SERVER: self.plane.url}

    def install(self, kind: str, name: str) -> Object:
        """Apply an object of Argo CD's own cluster as rendered now, but for the two addresses."""
        return self.plane.client.apply(self.repository.hub(kind, name, self.addresses()))

    def sync(self, revision: str) -> dict[str, Any]:
        """Make Argo CD look, and wait until the cluster is at this commit; return the Application."""
        self.argo.refresh(APPLICATION)
        return self.argo.wait_until_synced(APPLICATION, revision)

    def restore(self) -> None:
        """Take back in Git what tests have changed, and wait until the cluster is as at the beginning."""
        self.install("AppProject", PROJECT)
        app = self.argo.application(APPLICATION)
        if not is_synced(app, self.repository.restore()):
            self.sync(self.repository.head)

    def live(self) -> dict[Key, Object]:
        """Return every object that Argo CD has made for the cluster, as the server holds it now."""
        kinds = {(obj["apiVersion"], obj["kind"]) for obj in self.repository.objects(CLUSTER).values()}
        found = [obj for kind in sorted(kinds) for obj in self.plane.client.list(*kind)]
        return {key(obj): obj for obj in found if tracked(obj)}

    def contents(self) -> dict[Key, str]:
        """Return the content of every such object: all but its status and what the server counts."""
        return {one: content(obj) for one, obj in self.live().items()}


def tracked(obj: Object) -> bool:
    """Tell whether an object belongs to the cluster's Application, by the mark that Argo CD leaves."""
    mark = obj["metadata"].get("annotations", {}).get("argocd.argoproj.io/tracking-id", "")
    return bool(mark.startswith(f"{APPLICATION}:"))


def content(obj: Object) -> str:
    """Return an object without its status and without what the server counts, as text that can be compared."""
    left = {part: value for part, value in copy.deepcopy(dict(obj)).items() if part != "status"}
    for field in OF_THE_SERVER:
        left["metadata"].pop(field, None)
    return json.dumps(left, sort_keys=True)


@contextlib.contextmanager
def delivery(plane: ControlPlane, folder: Path, customizations: Mapping[str, str] | None = None) -> Iterator[Delivery]:
    """The example's cluster with a node, its Kueue configured as the fleet asks, and Argo CD with nothing to do yet."""
    plane.reset()
    plane.start_kueue(kueue_configuration(CLUSTER))
    plane.add_node("worker")
    try:
        with ArgoCD(plane, customizations) as argo:
            yield Delivery(plane=plane, argo=argo, repository=Repository(folder / "repository"))
    finally:
        plane.reset()
        plane.start_kueue()


@contextlib.contextmanager
def synced(plane: ControlPlane, folder: Path, customizations: Mapping[str, str] | None = None) -> Iterator[Delivery]:
    """The same, with the example's cluster in it."""
    with delivery(plane, folder, customizations) as made:
        made.install("AppProject", PROJECT)
        made.install("Application", APPLICATION)
        made.argo.wait_until_synced(APPLICATION, made.repository.head)
        yield made
