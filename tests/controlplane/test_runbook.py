"""A MIG runbook, typed line by line into a shell with the real kubectl, against a real API server.

The test plays those who are not here: Node Feature Discovery, which labels the nodes as a sync brings the new rule, and the
MIG manager's work on a node, once its pod is there. Everything else is what the runbook says.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpuplan.emit import dcgm, device_plugin, mig, runtime
from gpuplan.model.pools import (
    NodePool,
    agent_labels,
    node_labels,
    produced_resources,
)
from gpuplan.report.runbooks import of_pools as texts
from tests.controlplane.acceptance import apply_manifests
from tests.controlplane.client import Client, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.toolchain import tool_path
from tests.unit.emit.fleets import Place, place

EMITTERS = (runtime.emit, device_plugin.emit, mig.emit, dcgm.emit)
BEFORE, AFTER = "profiles: {1g.10gb: 7}", "profiles: {3g.40gb: 2}"
LIMIT_SECONDS = 120
Object = dict[str, Any]


def pool_with(layout: str) -> Place:
    """Return a pool of H100s that NFD finds; their MIG mode switches without a reset."""
    return place(f"a: {{tier: big, sharing: {{mig: {{{layout}}}}}}}")


def labels_of(pool: NodePool) -> dict[str, str]:
    return {**node_labels(pool), **agent_labels(pool)}


def offered(pool: NodePool) -> dict[str, str | int]:
    return {made.resource: made.per_node for made in produced_resources(pool)}


def steps(runbook: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each step with its commands, up to what is for bad days."""
    for part in re.split(r"^###? ", runbook.partition("## When it does not go well")[0], flags=re.MULTILINE)[1:]:
        block = re.search(r"```sh\n(.*?)```", part, re.DOTALL)
        yield part.partition("\n")[0], block.group(1).splitlines() if block else []


class Shell:
    """A shell that knows the cluster, and the node that the reader is at."""

    def __init__(self, kubectl: Path, plane: ControlPlane) -> None:
        self.environment = {"KUBECONFIG": str(plane.kubeconfig), "PATH": f"{kubectl.parent}:{os.defpath}"}

    def type(self, *lines: str) -> str:
        script = "\n".join(("set -e", *lines))
        done = subprocess.run(
            ["bash", "-c", script],
            env={**self.environment, "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout


class MigManager(threading.Thread):
    """Cuts a node as soon as a pod of the MIG manager is there and the node has no state."""

    def __init__(self, client: Client, pool: NodePool) -> None:
        super().__init__(daemon=True)
        self.client, self.pool, self.stopped, self.cut = client, pool, threading.Event(), list[str]()

    def run(self) -> None:
        while not self.stopped.wait(0.3):
            for pod in self.client.list("v1", "Pod", namespace="gpu-system"):
                if pod["metadata"]["labels"]["app.kubernetes.io/name"] == "nvidia-mig-manager":
                    self._look(pod)

    def _look(self, pod: Mapping[str, Any]) -> None:
        name = pod["spec"].get("nodeName")
        if not name or "deletionTimestamp" in pod["metadata"]:
            return
        node = self.client.get(reference("v1", "Node", name))
        if "nvidia.com/mig.config.state" not in node["metadata"]["labels"]:
            self.cut.append(name)
            assert node["spec"].get("unschedulable"), "cut while pods could still come"
            status = {key: str(value) for key, value in offered(self.pool).items()}
            old = dict.fromkeys(offered(pool_with(BEFORE).pool), "0")
            both = {"capacity": {**old, **status}, "allocatable": {**old, **status}}
            self.client.patch(node, {"status": both}, subresource="status")
            self.client.patch(node, {"metadata": {"labels": {"nvidia.com/mig.config.state": "success"}}})


def service(pods: int) -> Object:
    """Return a Deployment whose pods stand on the pool's nodes."""
    labels = {"app": "work"}
    pod = {
        "metadata": {"labels": labels},
        "spec": {
            "containers": [{"name": "main", "image": "registry.example/main:1"}],
            "nodeSelector": {"gpuplan.dev/pool": "a"},
        },
    }
    spec = {"replicas": pods, "selector": {"matchLabels": labels}, "template": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "work", "namespace": "default"},
        "spec": spec,
    }


def test_who_follows_the_runbook_gets_every_node_cut_empty_and_open_again(busy_control_plane: ControlPlane) -> None:
    kubectl = tool_path("kubectl")
    plane, client = busy_control_plane, busy_control_plane.client
    before, after = pool_with(BEFORE), pool_with(AFTER)
    for name in ("n1", "n2"):
        state = {"nvidia.com/mig.config.state": "success"}
        plane.add_node(name, labels={**labels_of(before.pool), **state}, capacity=offered(before.pool))
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-system"}}
    objects = json.loads(json.dumps([namespace, *before.objects(*EMITTERS), service(4)]))
    assert apply_manifests(client, objects) == []
    plane.wait_for(lambda: len(on_nodes(client, "default")) == 4, what="work on the nodes")

    manager = MigManager(client, after.pool)
    manager.start()
    try:
        follow(plane, Shell(kubectl, plane), after)
    finally:
        manager.stopped.set()
        manager.join()
    assert sorted(manager.cut) == ["n1", "n2"]
    for name in ("n1", "n2"):
        node = client.get(reference("v1", "Node", name))
        assert not node["spec"].get("unschedulable")
        assert node["metadata"]["labels"]["nvidia.com/mig.config"] == "2x3g.40gb"
        assert node["status"]["allocatable"]["nvidia.com/mig-3g.40gb"] == "16"
    plane.wait_for(lambda: len(on_nodes(client, "default")) == 4, what="all work to run again")


def on_nodes(client: Client, namespace: str) -> list[str]:
    """Return the nodes of the pods that run, one entry a pod."""
    pods = client.list("v1", "Pod", namespace=namespace)
    alive = (pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and pod["spec"].get("nodeName"))
    return [pod["spec"]["nodeName"] for pod in alive]


def follow(plane: ControlPlane, shell: Shell, after: Place) -> None:
    """Type what the runbook says; where it says to merge, let the change come."""
    (runbook,) = (text.text for text in texts(after.fleet))
    found = list(steps(runbook))
    start = next(index for index, (title, _) in enumerate(found) if title == "For one node after another")
    for title, lines in found[:start]:
        if title.endswith("Merge the change"):
            synced(plane, after)
        if lines:
            shell.type(*(line for line in lines if "current-context" not in line))
    for _ in range(after.pool.nodes):
        node = shell.type(*found[start][1]).strip()
        for _, lines in found[start + 1 :]:
            shell.type(f"NODE={node}", *lines)
    with pytest.raises(AssertionError, match="array index out of bounds"):
        shell.type(*found[start][1])


def synced(plane: ControlPlane, after: Place) -> None:
    """Let Argo CD bring the new objects, and NFD the new labels, to all nodes at once."""
    objects = json.loads(json.dumps(after.objects(*EMITTERS)))
    assert apply_manifests(plane.client, objects) == []
    for name in ("n1", "n2"):
        plane.client.patch(reference("v1", "Node", name), {"metadata": {"labels": labels_of(after.pool)}})
