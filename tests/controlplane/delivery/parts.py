"""Parts of Argo CD that only some need: the plugin server, and the controller of ApplicationSets."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import urllib3

from tests.controlplane.argocd import NAMESPACE, START_LIMIT_SECONDS, ArgoCD
from tests.controlplane.client import Client, reference
from tests.controlplane.controlplane import ControlPlane

LOOK = "argocd.argoproj.io/application-set-refresh"
"""The controller takes this annotation away when it has looked at an ApplicationSet."""


@contextlib.contextmanager
def plugin_server(argo: ArgoCD, folder: Path) -> Iterator[None]:
    """Argo CD's sidecar for the plugin of `folder/plugin.yaml`, with our `gpuplan` on its PATH."""
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "ARGOCD_CMP_WORKDIR": str(folder)}
    server = argo.start("argocd-cmp-server", [f"--config-dir-path={folder}", "--loglevel=warn"], environment)
    server.wait_until(lambda: list(argo.plugins.glob("*.sock")), START_LIMIT_SECONDS, what="listens")
    try:
        yield
    finally:
        argo.end(server)


@contextlib.contextmanager
def application_sets(argo: ArgoCD, plane: ControlPlane) -> Iterator[None]:
    """Argo CD's controller of ApplicationSets."""
    metrics, health, webhook = (plane.workspace.port() for _ in range(3))
    controller = argo.start(
        "argocd-applicationset-controller",
        [
            f"--namespace={NAMESPACE}",
            f"--metrics-addr=127.0.0.1:{metrics}",
            f"--probe-addr=127.0.0.1:{health}",
            f"--webhook-addr=127.0.0.1:{webhook}",
            f"--argocd-repo-server={argo.repo_server}",
            "--repo-server-plaintext",
        ],
    )
    controller.wait_until(lambda: _serves_metrics(metrics), START_LIMIT_SECONDS, what="answers")
    try:
        yield
    finally:
        argo.end(controller)


def know_cluster(client: Client, server: str) -> None:
    """Tell Argo CD of a cluster that cannot be reached."""
    host = server.removeprefix("https://").split(":")[0]
    secret = reference("v1", "Secret", host, NAMESPACE)
    labels = {"argocd.argoproj.io/secret-type": "cluster"}
    data = {"name": host, "server": server, "config": "{}"}
    client.apply({**secret, "metadata": {**secret["metadata"], "labels": labels}, "stringData": data})


def look_at(plane: ControlPlane, name: str) -> None:
    """Make the controller look at an ApplicationSet, and wait until it has."""
    named = reference("argoproj.io/v1alpha1", "ApplicationSet", name, NAMESPACE)
    plane.client.patch(named, {"metadata": {"annotations": {LOOK: "true"}}})
    plane.wait_for(
        lambda: LOOK not in plane.client.get(named)["metadata"].get("annotations", {}), what=f"a look at {name}"
    )


def _serves_metrics(port: int) -> bool:
    try:
        with urllib3.PoolManager(retries=False) as pool:
            return pool.request("GET", f"http://127.0.0.1:{port}/metrics", timeout=2.0).status == 200
    except urllib3.exceptions.HTTPError:
        return False
