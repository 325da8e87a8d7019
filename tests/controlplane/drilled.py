"""What the tests of drills play with: a fleet that serves and computes, a stand-in for the readiness controller, and drills."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplan import conventions
from gpuplan.drill.plan import ALERT
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.manifests.write import yaml_text
from tests.controlplane import workloads
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.stage import HEAD, Stage
from tests.controlplane.behaviour.test_maintenance import service
from tests.controlplane.client import ApiError, Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.reclaiming import Door, kubeconfig
from tests.prometheus.bed import Bed, bed
from tests.scenarios.exposition import text
from tests.scenarios.scraping import serving

FLEET = """
nodePools: {h200: {tier: flat, nodes: 3, cardsPerNode: 4}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [flat], stateful: {drainSeconds: 60}, serving: {engine: vllm}}
  nightly: {kind: batchInference, service: queued, tiers: [flat], frameworks: [job]}
teams: {vision: {namespaces: [vision], quotas: {chat: {flat: {guaranteed: 6}}, nightly: {flat: {guaranteed: 2}}}}}
governance: {nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}}
"""
CONDITION = "GpuHealthy"
POOL = "h200"
LIMIT_SECONDS = 90
PACE = ("--pause", "0.1")
MOVING = ("lastHeartbeatTime", "lastTransitionTime")
"""What a condition says of times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A drill that has ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Mapping[str, Any]:
        return dict(json.loads(self.out))

    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each expectation by its name."""
        return {one["name"]: one["outcome"] for one in self.data["expectations"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """The fleet on the control plane, with its spec in a folder."""

    plane: ControlPlane
    scene: Scene
    folder: Path

    @property
    def client(self) -> Client:
        return self.plane.client

    def command(self, *words: str, kubeconfig: Path | None = None) -> list[str]:
        """Return the command line of `gpuplan drill …`."""
        where = ["--kubeconfig", str(kubeconfig or self.plane.kubeconfig)]
        fleet = [] if words[0] == "clean-up" else ["--fleet", str(self.folder / "fleet"), "--pool", POOL, *PACE]
        return [sys.executable, "-m", "gpuplan", "drill", *words, *where, *fleet, "--output-format", "json"]

    def start(self, *words: str, kubeconfig: Path | None = None) -> subprocess.Popen[str]:
        """Start a drill."""
        pipe = subprocess.PIPE
        command = self.command(*words, kubeconfig=kubeconfig)
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, stdin=subprocess.DEVNULL)

    def drill(self, *words: str, kubeconfig: Path | None = None) -> Ended:
        """Run a drill to its end."""
        with self.start(*words, kubeconfig=kubeconfig) as program:
            return ended(program)

    def nodes(self) -> dict[str, Object]:
        """Return what people and controllers write on each node: labels, annotations, spec, conditions."""
        return {one["metadata"]["name"]: _lasting(one) for one in self.client.list("v1", "Node")}

    def serving(self) -> Sequence[Object]:
        """Return the pods of the service that are ready and stay."""
        pods = self.client.list("v1", "Pod", namespace="vision", labels="app=deployment")
        return [one for one in pods if workloads.is_true(one, "Ready") and "deletionTimestamp" not in one["metadata"]]

    def settled(self) -> bool:
        """Tell whether the service serves, and its budget allows an eviction."""
        name = conventions.disruption_budget_name("chat")
        budget = self.client.get(reference("policy/v1", "PodDisruptionBudget", name, "vision"))
        status = budget.get("status", {})
        fine = status.get("disruptionsAllowed") == 1 and status.get("currentHealthy") == 2
        return fine and len(self.serving()) == 2

    def rest(self) -> None:
        """Wait until it is as before, but for where pods are."""
        self.scene.until(self.settled, "the service to serve")

    def door(self, **how: Any) -> Door:
        """Return a door to the API server."""
        return Door(target=self.plane.url, authority=self.plane.authority, **how)

    def behind(self, server: str) -> Path:
        """Return the kubeconfig of an administrator who goes through a door."""
        return kubeconfig(self.folder, server, "admin")


def ended(program: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a drill, and of its guardian, which holds the same standard error."""
    out, err = program.communicate(timeout=LIMIT_SECONDS)
    return Ended(code=program.returncode, out=out, err=err)


def play(plane: ControlPlane, folder: Path) -> Play:
    """Play the fleet: a service of two pods with two cards each, and nodes whose GPUs are reported healthy."""
    scene = Stage(plane).play(FLEET)
    (folder / "fleet").mkdir()
    (folder / "fleet" / "fleet.yaml").write_text(HEAD + FLEET, encoding="utf-8")
    for node in plane.client.list("v1", "Node"):
        report(plane.client, node)
    scene.client.create(service(replicas=2, cards=2))
    made = Play(plane=plane, scene=scene, folder=folder)
    made.rest()
    return made


def plain(made: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object of ours as others see it."""
    return made


def report(client: Client, node: Object) -> None:
    """Say of a node that its GPUs are healthy, as its reporter does."""
    now = client.get(node)
    said = {"type": CONDITION, "status": "True", "reason": "AllFound", "message": "all GPUs answer"}
    others = [one for one in now["status"]["conditions"] if one["type"] != CONDITION]
    client.patch(node, {"status": {"conditions": [*others, said]}}, subresource="status")


def _lasting(node: Object) -> Object:
    metadata = node["metadata"]
    conditions = node["status"]["conditions"]
    return {
        "labels": metadata["labels"],
        "annotations": {key: value for key, value in metadata.get("annotations", {}).items() if "kwok" not in key},
        "spec": node.get("spec", {}),
        "conditions": sorted(
            ({key: value for key, value in one.items() if key not in MOVING} for one in conditions),
            key=lambda one: one["type"],
        ),
    }


@contextlib.contextmanager
def readiness_controller(client: Client) -> Iterator[None]:
    """Do what the node readiness controller is documented to do with the rules that we render: it cannot be built here.

    A node that a rule selects has its taint while one of the conditions is not as the rule requires.
    """
    over = threading.Event()
    thread = threading.Thread(target=_judge_until, args=(client, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10)


def _judge_until(client: Client, over: threading.Event) -> None:
    while not over.wait(0.1):
        with contextlib.suppress(ApiError):  # the node has changed meanwhile
            for rule in client.list("readiness.node.x-k8s.io/v1alpha1", "NodeReadinessRule"):
                for node in client.list("v1", "Node"):
                    _judge(client, rule["spec"], node)


def _judge(client: Client, rule: Object, node: Object) -> None:
    if not rule["nodeSelector"]["matchLabels"].items() <= node["metadata"]["labels"].items():
        return
    wanted = {(one["type"], one["requiredStatus"]) for one in rule["conditions"]}
    fine = wanted <= {(one["type"], one["status"]) for one in node["status"]["conditions"]}
    others = [one for one in node["spec"].get("taints", ()) if one["key"] != rule["taint"]["key"]]
    taints = others if fine else [*others, rule["taint"]]
    if taints != node["spec"].get("taints", []):
        version = node["metadata"]["resourceVersion"]
        client.patch(node, {"metadata": {"resourceVersion": version}, "spec": {"taints": taints or None}})


class Exporters(Mapping[str, str]):
    """What exporters of the cluster would show Prometheus now: conditions of nodes, and requests in pods that serve."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getitem__(self, path: str) -> str:
        return text([*self._nodes(), *self._pods()])

    def __iter__(self) -> Iterator[str]:
        return iter(("/metrics",))

    def __len__(self) -> int:
        return 1

    def _nodes(self) -> Iterator[tuple[str, dict[str, str], float]]:
        for node in self._client.list("v1", "Node"):
            name = node["metadata"]["name"]
            yield str(NODE_POOL), {"node": name, "pool": POOL}, 1
            yield "kube_node_spec_unschedulable", {"node": name}, float(node["spec"].get("unschedulable", False))
            for one in node["status"]["conditions"]:
                for status in ("true", "false", "unknown"):
                    labels = {"node": name, "condition": one["type"], "status": status}
                    yield "kube_node_status_condition", labels, float(one["status"].lower() == status)

    def _pods(self) -> Iterator[tuple[str, dict[str, str], float]]:
        for pod in self._client.list("v1", "Pod", namespace="vision", labels="app=deployment"):
            labels = {"namespace": "vision", "pod": pod["metadata"]["name"]}
            yield "vllm:num_requests_running", labels, 0


@contextlib.contextmanager
def monitoring(prometheus: Path, alertmanager: Path, played: Play) -> Iterator[tuple[str, str]]:
    """Run a Prometheus that scrapes all of it every second and sends to an Alertmanager; gives both addresses.

    The alert is as it is rendered, but for its wait of minutes.
    """
    alert = next(
        rule
        for one in played.scene.manifests
        if one.object["kind"] == "PrometheusRule"
        for group in plain(one.object)["spec"]["groups"]
        for rule in group["rules"]
        if rule.get("alert") == ALERT
    )
    folder = played.folder / "prometheus"
    folder.mkdir()
    rules = {"groups": [{"name": "drills", "interval": "1s", "rules": [{**alert, "for": "1s"}]}]}
    (folder / "rules.yaml").write_text(yaml_text(rules), encoding="utf-8")
    with serving(Exporters(played.client)) as address, bed(folder) as servers:
        receiver = _alertmanager(alertmanager, servers)
        job = {"job_name": "all", "static_configs": [{"targets": [address]}], "honor_labels": True}
        made = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(folder / "rules.yaml")],
            "scrape_configs": [job],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [receiver.removeprefix("http://")]}]}]},
        }
        yield (
            servers.prometheus(prometheus, folder / "data", name="prometheus", config=yaml_text(made)),
            receiver,
        )


def _alertmanager(binary: Path, servers: Bed) -> str:
    """Start an Alertmanager that keeps what it gets to itself; return its address."""
    port = servers.port()
    file = servers.folder / "alertmanager.yml"
    file.write_text(yaml_text({"route": {"receiver": "nobody"}, "receivers": [{"name": "nobody"}]}), encoding="utf-8")
    servers.start(
        binary,
        f"--config.file={file}",
        f"--storage.path={servers.folder / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
        ready=f"http://127.0.0.1:{port}/-/ready",
        name="alertmanager",
    )
    return f"http://127.0.0.1:{port}"
