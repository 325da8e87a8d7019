"""What Argo CD's own ApplicationSet controller makes of our set: the Applications that would be written out, in steps or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpuplan.emit import argocd as emitted
from tests.build import fleet
from tests.controlplane.argocd import API, NAMESPACE, ArgoCD
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.waiting import wait_for

LIMIT_SECONDS = 60
SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", destination: {server: "https://eu.example:6443"}}
  us: {kubernetes: "1.36"}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [l4]}}
nodePools:
  l40s: {cluster: eu, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
  l4: {cluster: us, tier: lab, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
delivery: {argocd: {repoURL: https://git.example/gpu.git%s}}
"""
ONE_BY_ONE = SPEC % ""
AS_SET = SPEC % ", mode: applicationSet"
IN_STEPS = SPEC % ", mode: applicationSet, rollout: [[us], [eu]]"

Object = dict[str, Any]


def rendered(text: str) -> Mapping[str, Object]:
    """Return what Argo CD's own cluster gets, by `kind/name`."""
    return {f"{made.key.kind}/{made.key.name}": {**made.object} for made in emitted.emit(fleet(text), ())}


class Hub:
    """An Argo CD with the controller of ApplicationSets, which knows the clusters of the fleet and reaches none."""

    def __init__(self, plane: ControlPlane, argo: ArgoCD) -> None:
        self.client, self.argo = plane.client, argo
        for name, server in (("us", "https://us.example:6443"), ("by-address", "https://eu.example:6443")):
            self._register(name, server)
        ports = [plane.workspace.port() for _ in range(3)]
        kubeconfig = str(plane.workspace.write_kubeconfig(plane.url, "admin"))
        host, port = plane.url.removeprefix("https://").split(":")
        self.controller = argo.start(
            "argocd-applicationset-controller",
            [
                *(
                    f"--{what}-addr=127.0.0.1:{port}"
                    for what, port in zip(("metrics", "probe", "webhook"), ports, strict=True)
                ),
                f"--argocd-repo-server={argo.repo_server}",
                "--repo-server-plaintext",
                f"--namespace={NAMESPACE}",
                f"--kubeconfig={kubeconfig}",
                "--enable-progressive-syncs",
            ],
            {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "KUBECONFIG": kubeconfig},
        )

    def _register(self, name: str, server: str) -> None:
        named = reference("v1", "Secret", name, NAMESPACE)
        config = json.dumps({"bearerToken": "of no use", "tlsClientConfig": {"insecure": True}})
        labels = {"argocd.argoproj.io/secret-type": "cluster"}
        content = {"stringData": {"name": name, "server": server, "config": config}}
        self.client.apply({**named, "metadata": {**named["metadata"], "labels": labels}, **content}, manager="harness")

    def applications(self) -> Mapping[str, Object]:
        found = self.client.list(API, "Application", namespace=NAMESPACE)
        return {made["metadata"]["name"]: {**made} for made in found}

    def status(self) -> Object:
        status: Object = self.client.get(reference(API, "ApplicationSet", "acme", NAMESPACE)).get("status", {})
        return status

    def wait_until(self, what: str, holds: Any) -> None:
        def evidence() -> str:
            return f"{json.dumps(self.status(), indent=1)}\n{self.controller.tail(20)}"

        wait_for(holds, LIMIT_SECONDS, what=what, alive=self.argo.require_running, evidence=evidence)


@pytest.fixture
def hub(argocd: Path, empty_control_plane: ControlPlane) -> Iterator[Hub]:
    with ArgoCD(empty_control_plane) as argo:
        made = Hub(empty_control_plane, argo)
        for obj in ("AppProject/acme", "ApplicationSet/acme"):
            empty_control_plane.client.apply(rendered(AS_SET)[obj])
        made.wait_until("both Applications", lambda: len(made.applications()) == 2)
        yield made


def test_a_set_makes_the_very_applications_that_would_be_written_out(hub: Hub) -> None:
    written = rendered(ONE_BY_ONE)
    for name, made in hub.applications().items():
        assert made["spec"] == written[f"Application/{name}"]["spec"]
        assert made["metadata"]["annotations"] == written[f"Application/{name}"]["metadata"]["annotations"]
        assert "finalizers" not in made["metadata"]


def test_a_rollout_puts_each_cluster_into_its_step_and_keeps_what_is_pruned(hub: Hub) -> None:
    hub.client.apply(rendered(IN_STEPS)["ApplicationSet/acme"])

    def steps() -> Mapping[str, str]:
        return {one["application"]: one["step"] for one in hub.status().get("applicationStatus", ())}

    hub.wait_until("steps", lambda: steps() == {"gpuplan-us": "1", "gpuplan-eu": "2"})
    hub.wait_until(
        "automated sync to be off",
        lambda: all(
            made["spec"]["syncPolicy"]["automated"] == {"enabled": False, "prune": True, "selfHeal": True}
            for made in hub.applications().values()
        ),
    )
