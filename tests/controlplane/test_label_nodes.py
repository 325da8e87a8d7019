"""`gpuplan label-nodes` on real nodes: only its own labels and taints come and go, whoever writes beside it, however often it dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gpuplan.conventions import ANNOTATION_NODE_NOTE
from gpuplan.labelling.rights import RIGHTS
from tests.controlplane import rights as rights_of
from tests.controlplane.client import ApiError, Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.reclaiming import Door, kubeconfig, token_of
from tests.controlplane.workloads import pod_spec

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}}
cardTiers:
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
nodePools:
  l40s-a:
    cluster: main
    tier: serve
    nodes: 2
    cardsPerNode: 4
    selectedBy: {nfd: {nodeNames: ["serve-.*"]}}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: acme.example/serving, value: "true", effect: NoExecute}]
  a100-lab:
    cluster: main
    tier: lab
    nodes: 1
    cardsPerNode: 8
    selectedBy: {labels: {acme.example/pool: lab, nvidia.com/mig.config: 7x1g.5gb}}
    taints: [{key: acme.example/lab, effect: NoSchedule}]
    sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 56}}
teams:
  vision:
    namespaces: [vision]
    quotas: {chat: {serve: {guaranteed: 8}}, notebooks: {}}
"""
LABELS = {
    "gpuplan.dev/card": "l40s",
    "gpuplan.dev/pool": "l40s-a",
    "gpuplan.dev/sharing": "exclusive",
    "gpuplan.dev/tier": "serve",
}
GPU_TAINT = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}
TAINTS = [GPU_TAINT, {"key": "acme.example/serving", "value": "true", "effect": "NoExecute"}]
THEIR_LABELS = {"acme.example/rack": "r7", "kubernetes.io/os": "linux"}
THEIR_TAINT = {"key": "acme.example/burn-in", "value": "yes", "effect": "NoSchedule"}
LATE_TAINT = {"key": "acme.example/late", "effect": "PreferNoSchedule"}
LIMIT_SECONDS = 60


@dataclass(slots=True)
class Bench:
    """A fleet, a cluster and the command."""

    plane: ControlPlane
    folder: Path
    config: Path
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def run(self, *options: str, config: Path | None = None, text: str = FLEET) -> tuple[int, dict[str, Any], str]:
        """Run the command; return its exit code, what it says, and its log."""
        (self.folder / "fleet.yaml").write_text(text, encoding="utf-8")
        where = ["--fleet", str(self.folder), "--kubeconfig", str(config or self.config), "--output-format", "json"]
        program = [sys.executable, "-m", "gpuplan", "label-nodes", *where, *options]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
            self.running = [started]
            out, err = started.communicate(timeout=LIMIT_SECONDS)
        return started.returncode, json.loads(out or "{}"), err

    def kill(self) -> None:
        """Kill the command, as a machine that loses its power does."""
        os.kill(self.running[0].pid, signal.SIGKILL)


@pytest.fixture
def bench(busy_control_plane: ControlPlane, tmp_path: Path) -> Bench:
    """Two nodes of the pool and one that is in none, each with a label and a taint of others."""
    for name in ("serve-1", "serve-2", "spare"):
        busy_control_plane.add_node(name, labels=THEIR_LABELS, taints=[THEIR_TAINT])
    (tmp_path / "fleet").mkdir()
    return Bench(busy_control_plane, tmp_path / "fleet", busy_control_plane.kubeconfig)


def node(client: Client, name: str) -> Object:
    return client.get(reference("v1", "Node", name))


def labels(client: Client, name: str) -> Mapping[str, str]:
    """Return the labels of a node but for those that Kubernetes sets by itself."""
    return {key: value for key, value in node(client, name)["metadata"]["labels"].items() if key in KNOWN}


KNOWN = {*LABELS, *THEIR_LABELS, "acme.example/pool", "nvidia.com/mig.config", "nvidia.com/mig.strategy"}


def taints(client: Client, name: str) -> list[Object]:
    """Return the taints of a node but for those of the node controller."""
    found = node(client, name)["spec"].get("taints", [])
    return [one for one in found if not one["key"].startswith("node.kubernetes.io/")]


def noted(client: Client, name: str) -> bool:
    return ANNOTATION_NODE_NOTE in node(client, name)["metadata"].get("annotations", {})


def assert_labelled(client: Client, name: str, *more: Object) -> None:
    assert labels(client, name) == {**THEIR_LABELS, **LABELS}
    assert sorted(map(str, taints(client, name))) == sorted(map(str, [THEIR_TAINT, *TAINTS, *more]))


def assert_as_before(client: Client, name: str, *more: Object) -> None:
    assert labels(client, name) == THEIR_LABELS
    assert sorted(map(str, taints(client, name))) == sorted(map(str, [THEIR_TAINT, *more]))
    assert not noted(client, name)


WITHOUT_POOL = FLEET.replace('["serve-.*"]', '["other-.*"]')


def test_it_looks_first_then_labels_once_and_takes_its_own_away_again(bench: Bench) -> None:
    client = bench.plane.client
    config = rights_of.account(bench.plane, "labeller", RIGHTS)
    before = node(client, "serve-1")["metadata"]["managedFields"]

    code, said, _ = bench.run(config=config)

    assert (code, said["dryRun"], [one["node"] for one in said["nodes"]]) == (1, True, ["serve-1", "serve-2"])
    assert said["nodes"][0]["labels"] == LABELS
    assert said["nodes"][0]["addedTaints"] == ["nvidia.com/gpu:NoSchedule", "acme.example/serving=true:NoExecute"]
    assert {one["manager"] for one in node(client, "serve-1")["metadata"]["managedFields"]} == {
        one["manager"] for one in before
    }
    assert_as_before(client, "serve-1")

    assert bench.run("--yes", config=config)[0] == 0
    for name in ("serve-1", "serve-2"):
        assert_labelled(client, name)
    assert_as_before(client, "spare")

    code, said, _ = bench.run(config=config)
    assert (code, said["nodes"]) == (0, [])

    assert bench.run("--yes", config=config, text=WITHOUT_POOL)[0] == 0
    for name in ("serve-1", "serve-2", "spare"):
        assert_as_before(client, name)
    assert rights_of.used(bench.plane, "labeller") == {right.grant for right in RIGHTS}


def test_what_others_write_meanwhile_stays(bench: Bench) -> None:
    client = bench.plane.client
    raced: list[str] = []

    def race(method: str, path: str, body: Any) -> str:
        if method == "PATCH" and "spec" in body and path not in raced:
            raced.append(path)
            now = client.request("GET", path)
            client.patch(now, {"spec": {"taints": [*now["spec"].get("taints", []), LATE_TAINT]}})
            client.patch(now, {"metadata": {"labels": {"acme.example/rack": "r8"}}})
        return ""

    door = Door(target=bench.plane.url, authority=bench.plane.authority, fault=race)
    with door.open() as url:
        assert bench.run("--yes", config=kubeconfig(bench.folder.parent, url, token(bench.plane)))[0] == 0

    assert [status for method, _, status in door.seen if method == "PATCH" and status == 409]
    for name in ("serve-1", "serve-2"):
        assert sorted(map(str, taints(client, name))) == sorted(map(str, [THEIR_TAINT, LATE_TAINT, *TAINTS]))
        assert labels(client, name) == {**THEIR_LABELS, "acme.example/rack": "r8", **LABELS}


def token(plane: ControlPlane) -> str:
    """Return the token of an account that may do what is documented."""
    rights_of.account(plane, "raced", RIGHTS)
    return token_of(plane.client, "audited", "raced")


def test_a_run_that_is_killed_after_any_write_is_finished_by_the_next(bench: Bench) -> None:
    client, secret = bench.plane.client, token(bench.plane)
    client.delete(reference("v1", "Node", "serve-2"))

    def killed_at(number: int, text: str) -> bool:
        """Run to the given write, and tell whether there was one."""
        writes: list[str] = []

        def kill(method: str, path: str, _body: Any) -> str:
            writes.extend([path] if method == "PATCH" else [])
            if method != "PATCH" or len(writes) != number:
                return ""
            bench.kill()
            return "drop-after"

        door = Door(target=bench.plane.url, authority=bench.plane.authority, fault=kill)
        with door.open() as url:
            bench.run("--yes", config=kubeconfig(bench.folder.parent, url, secret), text=text)
        return len(writes) >= number

    for number in (1, 2, 3):
        assert killed_at(number, FLEET) == (number < 3)
        assert bench.run("--yes")[0] == 0
        assert_labelled(client, "serve-1")
        assert killed_at(number, WITHOUT_POOL)
        assert bench.run("--yes", text=WITHOUT_POOL)[0] == 0
        assert_as_before(client, "serve-1")


def test_a_label_of_another_value_is_left_to_whoever_set_it(bench: Bench) -> None:
    client = bench.plane.client
    change = {"metadata": {"labels": {"gpuplan.dev/tier": "gold"}}}
    path = client.path(reference("v1", "Node", "serve-1"))
    query = {"fieldManager": "kubectl-label"}
    client.request("PATCH", path, change, query=query, content_type="application/merge-patch+json")

    looked, done = bench.run(), bench.run("--yes")

    for code, said, _ in (looked, done):
        (problem,) = [one["problem"] for one in said["nodes"] if one["node"] == "serve-1"]
        assert 'conflict with "kubectl-label"' in problem
        assert "gpuplan.dev/tier" in problem
        assert code == 1
    assert labels(client, "serve-1") == {**THEIR_LABELS, "gpuplan.dev/tier": "gold"}
    assert taints(client, "serve-1") == [THEIR_TAINT]
    assert_labelled(client, "serve-2")
    assert bench.run("--yes", "--force")[0] == 0
    assert_labelled(client, "serve-1")


def test_a_taint_of_others_is_neither_replaced_nor_ever_removed(bench: Bench) -> None:
    client = bench.plane.client
    for name, taint in (("serve-1", {**GPU_TAINT, "value": "theirs"}), ("serve-2", GPU_TAINT)):
        client.patch(reference("v1", "Node", name), {"spec": {"taints": [THEIR_TAINT, taint]}})

    code, said, _ = bench.run("--yes")

    (problem,) = [one["problem"] for one in said["nodes"] if one["node"] == "serve-1"]
    assert (code, problem) == (1, "others have put taint nvidia.com/gpu=theirs:NoSchedule on it, with another value")
    assert_labelled(client, "serve-2")
    bench.run("--yes", text=WITHOUT_POOL)
    assert_as_before(client, "serve-2", GPU_TAINT)


def test_a_node_that_a_person_names_stays_in_its_pool_until_it_is_taken_out(bench: Bench) -> None:
    client = bench.plane.client
    mine = {"acme.example/pool": "lab", "nvidia.com/mig.config": "7x1g.5gb"}

    assert bench.run("--nodes", "spare", "--pool", "a100-lab", "--yes")[0] == 0
    assert labels(client, "spare") == {**THEIR_LABELS, **mine}
    assert taints(client, "spare") == [THEIR_TAINT, {"key": "acme.example/lab", "effect": "NoSchedule"}]
    code, said, _ = bench.run("--pool", "a100-lab", "--yes")
    assert (code, said["nodes"], said["pools"][0]["nodes"]) == (0, [], 1)
    code, _, err = bench.run("--nodes", "spere", "--pool", "a100-lab")
    assert (code, "spare" in err) == (2, True)
    assert bench.run("--nodes", "spare", "--remove", "--yes")[0] == 0
    assert_as_before(client, "spare")


def test_an_apply_never_makes_a_node_that_is_gone(bench: Bench) -> None:
    client = bench.plane.client  # of an account that may create nodes, too

    lost: list[str] = []

    def lose(method: str, path: str, _body: Any) -> str:
        if method == "PATCH" and path.endswith("/serve-1") and not lost:
            lost.append(path)
            client.delete(reference("v1", "Node", "serve-1"))
        return ""

    door = Door(target=bench.plane.url, authority=bench.plane.authority, fault=lose)
    with door.open() as url:
        code, said, _ = bench.run("--yes", config=kubeconfig(bench.folder.parent, url, "admin"))

    assert code == 1
    assert [one["node"] for one in said["nodes"] if one["problem"]] == ["serve-1"]
    with pytest.raises(ApiError) as gone:
        node(client, "serve-1")
    assert gone.value.status == 404


def test_pods_that_a_taint_evicts_are_named_before_and_go(bench: Bench) -> None:
    client = bench.plane.client
    client.apply(reference("v1", "Namespace", "vision"))
    serving = {"key": "acme.example/serving", "operator": "Exists"}
    for name, tolerations in (("stays", [serving]), ("goes", [])):
        spec = {**pod_spec({}), "nodeName": "serve-1", "tolerations": tolerations}
        client.create({**reference("v1", "Pod", name, "vision"), "spec": spec})

    _, said, _ = bench.run()

    assert [(one["pod"], one["taint"]) for one in said["evictions"]] == [
        ("goes", "acme.example/serving=true:NoExecute")
    ]
    code, _, err = bench.run("--yes")
    assert (code, "evicts vision/goes from serve-1" in err) == (0, True)
    goes = reference("v1", "Pod", "goes", "vision")
    bench.plane.wait_for(lambda: client.find(goes) is None, what="the pod to be evicted")
    assert client.find(reference("v1", "Pod", "stays", "vision")) is not None
