"""The guard rail of stateful serving, the budgets and the windows, on a real API server."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.emit import argocd, disruption, guardrails, node_health, tenancy
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.workloads import job, pod_spec
from tests.unit.emit.test_guardrails import refusal, workload
from tests.unit.emit.test_node_maintenance import GOVERNED

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {l40s: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 60}}
  long: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 600}}
  demo: {kind: onlineInference, service: guaranteed, tiers: [serve]}
teams: {vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 4}}, long: {}, demo: {}}}}
governance: {guardRails: {queueRequired: off, producedResources: off, statefulServing: deny}}
"""
CARD = {"nvidia.com/gpu": 1}
Devices = Mapping[str, int]


@pytest.fixture(scope="module")
def guarded(control_plane: ControlPlane) -> Iterator[Client]:
    """A server with the policies of `SPEC` in force."""
    control_plane.reset()
    client, built = control_plane.client, fleet(SPEC)
    client.apply(reference("v1", "Namespace", "vision"))
    client.apply({**reference("scheduling.k8s.io/v1", "PriorityClass", "gpuplan-guaranteed"), "value": 4000})
    rails: list[Object] = [copy.deepcopy(dict(one.object)) for one in guardrails.emit(built, built.clusters[0])]
    assert apply_manifests(client, rails) == []
    assert stored_differences(client, rails) == []
    wrong = app("Deployment", "chat", pods(grace=1))
    control_plane.wait_for(lambda: "stateful" in refusal(client, wrong), what="the policies to hold")
    yield client
    control_plane.reset()


def pods(devices: Devices = CARD, *, grace: int | None = 60, probed: tuple[str, ...] = ("main",)) -> dict[str, Any]:
    """Return the spec of a pod with a server and a proxy beside it, of which some have a readiness probe."""
    made = {**pod_spec(devices), "restartPolicy": "Always"}
    del made["terminationGracePeriodSeconds"]
    made |= {} if grace is None else {"terminationGracePeriodSeconds": grace}
    made["containers"] = [*made["containers"], {"name": "proxy", "image": "proxy"}]
    for container in made["containers"]:
        if container["name"] in probed:
            container["readinessProbe"] = {"httpGet": {"port": 8080, "path": "/ready"}}
    return made


def labels(queue: str) -> dict[str, str]:
    return {conventions.LABEL_QUEUE_NAME: queue, conventions.LABEL_PRIORITY_CLASS: "guaranteed"} if queue else {}


def app(kind: str, queue: str, spec: dict[str, Any], inner: str = "") -> Object:
    template = {"metadata": {"labels": {"app": "work", **labels(inner)}}, "spec": spec}
    return workload(
        "apps/v1", kind, labels(queue), {"selector": {"matchLabels": {"app": "work"}}, "template": template}
    )


def leader_worker_set(leader: dict[str, Any] | None, worker: dict[str, Any]) -> Object:
    group: dict[str, Any] = {"size": 2, "workerTemplate": {"spec": worker}}
    group |= {} if leader is None else {"leaderTemplate": {"spec": leader}}
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", labels("chat"), {"leaderWorkerTemplate": group})


def bare_pod(spec: dict[str, Any]) -> Object:
    return workload("v1", "Pod", labels("chat"), spec)


BLIND = "pods with cards in stateful queue 'chat' need a readinessProbe"
HASTY = "pods with cards in stateful queue 'chat' need terminationGracePeriodSeconds of 60 or more, not"
CASES: dict[str, tuple[Object, str]] = {
    "a service that hands over": (app("Deployment", "chat", pods()), ""),
    "a service with more grace than it needs": (app("StatefulSet", "chat", pods(grace=90)), ""),
    "a probe of the proxy alone": (app("Deployment", "chat", pods(probed=("proxy",))), ""),
    "no probe": (app("Deployment", "chat", pods(probed=())), BLIND),
    "less grace": (app("StatefulSet", "chat", pods(grace=59)), f"{HASTY} 59"),
    "the default of grace": (app("Deployment", "chat", pods(grace=None)), f"{HASTY} 30"),
    "each queue by its own drain": (
        app("Deployment", "long", pods()),
        "'long' need terminationGracePeriodSeconds of 600",
    ),
    "pods that name the queue alone": (app("ReplicaSet", "", pods(probed=()), "chat"), BLIND),
    "a router without cards": (app("Deployment", "chat", pods({}, grace=1, probed=())), ""),
    "a queue without state": (app("Deployment", "demo", pods(grace=1, probed=())), ""),
    "no queue": (app("Deployment", "", pods(grace=1, probed=())), ""),
    "a bare pod": (bare_pod(pods()), ""),
    "a bare pod with less grace": (bare_pod(pods(grace=5)), f"{HASTY} 5"),
    "a group of leader and workers": (leader_worker_set(pods(), pods()), ""),
    "a leader without cards": (leader_worker_set(pods({}, grace=1, probed=()), pods()), ""),
    "workers with the operator's default of grace": (leader_worker_set(None, pods(grace=None)), f"{HASTY} 30"),
    "workers without probe beside a leader with one": (leader_worker_set(pods(), pods(probed=())), BLIND),
    "a job": (
        {**(made := job("vision", "work", devices=CARD)), "metadata": {**made["metadata"], "labels": labels("chat")}},
        BLIND,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_server_takes_services_that_can_hand_over_and_tells_others_how(guarded: Client, case: str) -> None:
    asked, expected = CASES[case]
    said = refusal(guarded, asked)
    assert expected in said if expected else not said


def test_the_server_keeps_windows_budgets_and_rules_as_they_are(empty_control_plane: ControlPlane) -> None:
    client, built = empty_control_plane.client, fleet(GOVERNED)
    emitters = (tenancy.emit, disruption.emit, node_health.emit)
    manifests = [one for cluster in built.clusters for emit in emitters for one in emit(built, cluster)]
    namespaces = [reference("v1", "Namespace", built.delivery.namespace)]
    objects = [copy.deepcopy(dict(one.object)) for one in (*manifests, *argocd.emit(built, manifests))]
    assert apply_manifests(client, [*namespaces, *objects]) == []
    assert stored_differences(client, objects) == []
