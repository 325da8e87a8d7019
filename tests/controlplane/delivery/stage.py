"""A cluster of the example in Argo CD's hands: its repository, its project and Application, and what the server holds.

The charts of Kueue and of the GPU Operator are not synced: their repositories are out of a test's reach. Kueue runs beside
the API server as in all our tests, and the CRDs of what others install are loaded. Nor are the other two clusters there.
"""

from __future__ import annotations

import contextlib
import copy
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.controlplane.argocd import API, NAMESPACE, ArgoCD, is_applied
from tests.controlplane.client import Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.delivery.repository import BRANCH, CLUSTER, Key, Repository, key
from tests.controlplane.test_acceptance_example import kueue_configuration

APPLICATION = f"gpuplan-{CLUSTER}"
ROOT = "root-acme"
OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "deletionTimestamp")


@dataclass(slots=True, kw_only=True)
class FirstSync:
    """What the first sync left."""

    seconds: float = 0.0
    rendered: Mapping[Key, Object] = field(default_factory=dict)
    application: Mapping[str, Any] = field(default_factory=dict)
    live: Mapping[Key, Object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A cluster that Argo CD syncs from a repository."""

    plane: ControlPlane
    argo: ArgoCD
    repository: Repository
    first: FirstSync = field(default_factory=FirstSync)

    def sync(self, revision: str) -> dict[str, Any]:
        """Make the root and then the cluster's Application look, and wait until both are at this commit.

        Returns the Application. The root brings its project, which names the namespaces that it may use.
        """
        self.sync_root(revision)
        self.argo.refresh(APPLICATION)
        return self.argo.wait_until_synced(APPLICATION, revision)

    def sync_root(self, revision: str) -> None:
        """Make the root look, and wait until all projects and Applications are as in this commit."""
        self.argo.refresh(ROOT)
        # It is as healthy as its worst Application, and of most the cluster or the chart is out of reach.
        self.argo.wait_for(ROOT, lambda app: is_applied(app, revision), what=f"be synced to {revision}")

    def live(self) -> dict[Key, Object]:
        """Return every object that Argo CD has made for the cluster, as the server holds it now."""
        kinds = {(obj["apiVersion"], obj["kind"]) for obj in self.repository.objects().values()}
        found = [obj for kind in sorted(kinds) for obj in self.plane.client.list(*kind)]
        return {key(obj): obj for obj in found if tracked(obj)}

    def versions(self) -> dict[Key, str]:
        """Return the resourceVersion of every such object: it moves with each write that changes anything."""
        return {one: obj["metadata"]["resourceVersion"] for one, obj in self.live().items()}

    def contents(self) -> dict[Key, str]:
        """Return the content of every such object: all but its status and what the server counts."""
        return {one: content(obj) for one, obj in self.live().items()}


def beside(delivered: Delivery, folder: str, *options: str) -> Object:
    """Apply an Application of a folder beside the fleet's, which may do anything and syncs when it is told to."""
    client = delivered.plane.client
    anything = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    client.apply({**reference(API, "AppProject", "anything", NAMESPACE), "spec": anything})
    spec = {
        "project": "anything",
        "source": {"repoURL": delivered.repository.url, "targetRevision": BRANCH, "path": folder},
        "destination": {"server": delivered.plane.url, "namespace": "default"},
        "syncPolicy": {"syncOptions": list(options)},
    }
    return client.apply({**reference(API, "Application", folder, NAMESPACE), "spec": spec})


def tracked(obj: Object) -> bool:
    """Tell whether an object belongs to the cluster's Application, by the mark that Argo CD leaves."""
    mark = obj["metadata"].get("annotations", {}).get("argocd.argoproj.io/tracking-id", "")
    return bool(mark.startswith(f"{APPLICATION}:"))


def content(obj: Object) -> str:
    """Return an object without its status and without what the server counts, as text that can be compared."""
    left = {part: value for part, value in copy.deepcopy(dict(obj)).items() if part != "status"}
    for counted in OF_THE_SERVER:
        left["metadata"].pop(counted, None)
    return json.dumps(left, sort_keys=True)


@contextlib.contextmanager
def delivery(plane: ControlPlane, folder: Path) -> Iterator[Delivery]:
    """The example's cluster in Argo CD's hands, after the first sync: what a person gets who applies `bootstrap/`.

    A node without cards runs what is no card's agent, and Kueue is configured as the fleet asks.
    """
    plane.reset()
    plane.start_kueue(kueue_configuration(CLUSTER))
    plane.add_node("worker")
    repository = Repository(folder / "repository", plane.url)
    bootstrap = repository.objects("bootstrap")
    try:
        with ArgoCD(plane, [obj for obj in bootstrap.values() if obj["kind"] == "ConfigMap"]) as argo:
            made = Delivery(plane=plane, argo=argo, repository=repository)
            begun = time.monotonic()
            # The root's project first: an Application without one fails, and tries again only after a while.
            for obj in sorted(bootstrap.values(), key=lambda made: made["kind"]):
                plane.client.apply(obj)
            made.first.application = argo.wait_until_synced(APPLICATION, repository.head)
            made.first.seconds = time.monotonic() - begun
            made.first.rendered = repository.objects()
            made.first.live = made.live()
            yield made
    finally:
        plane.reset()
        plane.start_kueue()
