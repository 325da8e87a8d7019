"""Nodes are taken out of service while stateful services run: one pod at a time, with the time and the probe it needs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import pytest

from gpuplan import conventions
from tests.controlplane import workloads
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.behaviour.test_guard_rails import warned
from tests.controlplane.client import ApiError, Object, reference
from tests.controlplane.workloads import condition, pod_spec

DRAIN_SECONDS = 60
SERVING = """
nodePools: {{l40s: {{tier: serve, nodes: 2, cardsPerNode: 4}}}}
taskPools:
  chat: {{kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {{drainSeconds: 60}}}}
  nightly: {{kind: batchInference, service: queued, tiers: [serve]}}
teams: {{vision: {{namespaces: [vision], quotas: {{chat: {{serve: {{guaranteed: 8}}}}, nightly: {{}}}}}}}}
governance: {{guardRails: {{statefulServing: {enforced}}}}}
"""
PROBE = {"tcpSocket": {"port": 8000}}
TOO_MANY_REQUESTS = 429


def service(
    kind: str = "Deployment", *, replicas: int = 3, grace: int = DRAIN_SECONDS, probe: bool = True, cards: int = 1
) -> Object:
    """Write a service of team vision in queue `chat`; each of its pods asks for a card."""
    labels = {"app": kind.lower()}
    pod = {**pod_spec({"nvidia.com/gpu": cards} if cards else {}), "restartPolicy": "Always"}
    pod["terminationGracePeriodSeconds"] = grace
    pod["containers"][0] |= {"readinessProbe": PROBE} if probe else {}
    spec: dict[str, Any] = {"replicas": replicas, "selector": {"matchLabels": labels}}
    spec |= {"template": {"metadata": {"labels": labels}, "spec": pod}}
    spec |= {"serviceName": "chat"} if kind == "StatefulSet" else {}
    queue = {conventions.LABEL_QUEUE_NAME: "chat", conventions.LABEL_PRIORITY_CLASS: "guaranteed"}
    metadata = {"name": kind.lower(), "namespace": "vision", "labels": queue}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def ready(scene: Scene, kind: str) -> Sequence[Object]:
    """Return the pods of a service that are ready and stay."""
    pods = scene.client.list("v1", "Pod", namespace="vision", labels=f"app={kind.lower()}")
    return [one for one in pods if workloads.is_true(one, "Ready") and "deletionTimestamp" not in one["metadata"]]


def evict(scene: Scene, pod: Object) -> int:
    """Ask for a pod as `kubectl drain` does; return the server's answer."""
    metadata = {"name": pod["metadata"]["name"], "namespace": "vision"}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    try:
        scene.client.request("POST", f"{scene.client.path(pod)}/eviction", body)
    except ApiError as error:
        return error.status
    return 201


def budget(scene: Scene) -> Object:
    """Return the budget of the queue."""
    name = conventions.disruption_budget_name("chat")
    return scene.client.get(reference("policy/v1", "PodDisruptionBudget", name, "vision"))


def allows(scene: Scene) -> bool:
    """Tell whether the budget allows to take a pod, as far as the server knows."""
    return bool(budget(scene).get("status", {}).get("disruptionsAllowed") == 1)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_drain_takes_the_next_pod_only_when_the_last_one_is_replaced_and_ready(stage: Stage, kind: str) -> None:
    scene = stage.play(SERVING.format(enforced="deny"))
    scene.client.create(service(kind))
    scene.until(lambda: len(ready(scene, kind)) == 3 and allows(scene), "three pods to serve")
    first, second, _ = ready(scene, kind)

    scene.cordon("l40s")
    assert evict(scene, first) == 201
    assert evict(scene, second) == TOO_MANY_REQUESTS
    scene.until(lambda: successor_waits(scene, kind), "its successor to wait for a node")
    assert evict(scene, second) == TOO_MANY_REQUESTS

    scene.uncordon("l40s")
    scene.until(lambda: len(ready(scene, kind)) == 3 and allows(scene), "its successor to serve")
    assert evict(scene, second) == 201


def successor_waits(scene: Scene, kind: str) -> bool:
    """Tell whether a pod of the service has no node: Kueue holds it back at its gate, or the scheduler finds none."""
    pods = scene.client.list("v1", "Pod", namespace="vision", labels=f"app={kind.lower()}")
    return any(condition(one, "PodScheduled").get("status") == "False" for one in pods)


def test_a_job_whose_pods_name_the_queue_does_not_stop_every_eviction(stage: Stage) -> None:
    scene = stage.play(SERVING.format(enforced="off"))
    scene.client.create(service())
    labelled = scene.job("vision", "chat", pods=2)
    labelled["spec"]["template"]["metadata"]["labels"] = labelled["metadata"]["labels"]
    scene.runs(Job(made=scene.client.create(labelled)))

    scene.until(lambda: len(ready(scene, "Deployment")) == 3 and allows(scene), "the budget to allow an eviction")

    assert condition(budget(scene), "DisruptionAllowed")["reason"] == "SufficientPods"
    assert budget(scene)["status"]["expectedPods"] == 3


def test_a_node_that_is_not_healthy_takes_agents_but_no_work(stage: Stage) -> None:
    scene = stage.play(SERVING.format(enforced="off"))
    scene.client.create(service(replicas=1))
    (running,) = scene.until(lambda: ready(scene, "Deployment"), "a pod to serve")
    broken = running["spec"]["nodeName"]
    set_taints(scene, broken, [{"key": conventions.TAINT_UNHEALTHY, "effect": conventions.TAINT_UNHEALTHY_EFFECT}])

    beside = scene.submit("vision", "chat", cards=4)
    scene.runs(beside)
    assert broken not in scene.nodes_of(beside)
    waiting = scene.submit("vision", "chat")
    scene.waits(waiting)
    agent = agents_on(scene, broken)[0]
    scene.client.delete(agent, grace_seconds=0)
    scene.until(lambda: came_back(scene, broken, agent), "the agent to come back")
    assert ready(scene, "Deployment")[0]["metadata"]["uid"] == running["metadata"]["uid"]

    set_taints(scene, broken, [])
    scene.runs(waiting)
    assert scene.nodes_of(waiting) == [broken]


def set_taints(scene: Scene, node: str, taints: Sequence[Object]) -> None:
    """Set the taints of a node."""
    scene.client.patch(reference("v1", "Node", node), {"spec": {"taints": taints}})


def agents_on(scene: Scene, node: str) -> list[Object]:
    """Return the pods of the device plugin on a node that stay."""
    found = scene.client.list("v1", "Pod", namespace=conventions.SYSTEM_NAMESPACE)
    here = [one for one in found if one["spec"].get("nodeName") == node and "deletionTimestamp" not in one["metadata"]]
    return [one for one in here if one["metadata"]["name"].startswith(conventions.DEVICE_PLUGIN)]


def came_back(scene: Scene, node: str, gone: Object) -> bool:
    """Tell whether another pod of an agent runs in the place of one that was taken away."""
    uids = {one["metadata"]["uid"] for one in agents_on(scene, node) if one["status"].get("phase") == "Running"}
    return bool(uids - {gone["metadata"]["uid"]})


WRONG = [
    (service(grace=30), "need terminationGracePeriodSeconds of 60 or more, not 30"),
    (service("StatefulSet", probe=False), "pods with cards in stateful queue 'chat' need a readinessProbe"),
]


def test_deny_stops_services_that_cannot_hand_over_or_never_say_that_they_serve(stage: Stage) -> None:
    scene = stage.play(SERVING.format(enforced="deny"))

    for asked, expected in WRONG:
        assert expected in scene.refused(asked)

    scene.client.create(service())
    scene.client.create(service("StatefulSet", grace=30, probe=False, cards=0))


def test_warn_lets_them_pass_with_a_warning(stage: Stage) -> None:
    scene = stage.play(SERVING.format(enforced="warn"))

    for asked, expected in WRONG:
        scene.until(functools.partial(warned, scene, asked, expected), f"the server to warn: {expected}")
