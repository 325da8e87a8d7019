"""Workloads that are no Jobs. Deployments and StatefulSets run; of those whose operator is not here, Kueue decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuplan import conventions, rules
from tests.controlplane.behaviour.scene import Scene, pool_of
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.client import Object
from tests.controlplane.workloads import condition, is_true, pod_spec

CARD = {"nvidia.com/gpu": 1}
SERVING = """
nodePools: {l40s: {tier: serve, nodes: 2, cardsPerNode: 4}}
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}}
teams: {vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 3}}}}}
"""


def in_queue(api_version: str, kind: str, queue: str, spec: Mapping[str, Any]) -> Object:
    """Write a workload of team vision in a queue of guaranteed work, with its kind as its name and label `app`."""
    name = kind.lower()
    labels = {conventions.LABEL_QUEUE_NAME: queue, conventions.LABEL_PRIORITY_CLASS: "guaranteed", "app": name}
    metadata = {"generateName": f"{name}-", "namespace": "vision", "labels": labels}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def service(kind: str, replicas: int) -> Object:
    """Write a Deployment or StatefulSet whose pods ask for a card each."""
    labels = {"app": kind.lower()}
    template = {"metadata": {"labels": labels}, "spec": {**pod_spec(CARD), "restartPolicy": "Always"}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return in_queue("apps/v1", kind, "chat", spec | ({"serviceName": "chat"} if kind == "StatefulSet" else {}))


def running(scene: Scene, kind: str) -> list[str]:
    """Return the node pools of the running pods of a service."""
    pods = scene.client.list("v1", "Pod", namespace="vision", labels=f"app={kind.lower()}")
    return [pool_of(pod["spec"]["nodeName"]) for pod in pods if pod["status"].get("phase") == "Running"]


def test_a_deployment_runs_as_many_pods_as_its_queue_has_cards(stage: Stage) -> None:
    scene = stage.play(SERVING)

    scene.client.create(service("Deployment", replicas=4))

    scene.until(lambda: running(scene, "Deployment") == ["l40s"] * 3, "three pods to run")
    scene.until(lambda: waiting(scene), "Kueue to let the fourth wait")
    assert running(scene, "Deployment") == ["l40s"] * 3


def test_a_plain_pod_runs_in_its_queue_or_waits_at_its_gate(stage: Stage) -> None:
    scene = stage.play(SERVING.replace("kind: onlineInference", "kind: experiment"))

    for _ in range(4):
        scene.client.create(in_queue("v1", "Pod", "chat", pod_spec(CARD)))

    scene.until(lambda: running(scene, "Pod") == ["l40s"] * 3, "three pods to run")
    scene.until(lambda: waiting(scene), "Kueue to let the fourth wait")


def waiting(scene: Scene) -> list[Object]:
    """Return the Workloads that Kueue has told to wait."""
    found = scene.client.list("kueue.x-k8s.io/v1beta2", "Workload", namespace="vision")
    return [one for one in found if condition(one, "QuotaReserved").get("status") == "False"]


def test_a_stateful_set_starts_as_a_whole_or_not(stage: Stage) -> None:
    scene = stage.play(SERVING)
    whole = scene.client.create(service("StatefulSet", replicas=4))
    scene.until(lambda: waiting(scene), "Kueue to let it wait")
    assert running(scene, "StatefulSet") == []

    scene.client.delete(whole)
    scene.until(lambda: not waiting(scene), "it to be gone")
    scene.client.create(service("StatefulSet", replicas=3))

    scene.until(lambda: running(scene, "StatefulSet") == ["l40s"] * 3, "its pods to run")


def admitted(scene: Scene, workload: Object) -> dict[str, Any]:
    """Create a workload and wait until Kueue admits it; return what each of its pod sets got, by name."""
    uid = scene.client.create(workload)["metadata"]["uid"]
    scene.until(lambda: is_true(scene.look().workloads.get(uid), "Admitted"), "Kueue to admit it")
    return {one["name"]: one for one in scene.look().workloads[uid]["status"]["admission"]["podSetAssignments"]}


def test_a_leader_and_its_workers_are_admitted_together(stage: Stage) -> None:
    scene = stage.play(SERVING)
    workers = {"spec": {**pod_spec(CARD), "restartPolicy": "Always"}}
    group = {"leaderWorkerTemplate": {"size": 2, "workerTemplate": workers}}
    rollout = {"replicas": 1, "rolloutStrategy": {"type": "RollingUpdate"}}

    got = admitted(scene, in_queue("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat", {**group, **rollout}))

    assert got["main"]["resourceUsage"] == {"nvidia.com/gpu": "2"}


TRAINING = """
nodePools: {{cards: {{tier: {tier}, nodes: 2, cardsPerNode: 4}}}}
taskPools: {{pretrain: {{kind: training, service: guaranteed, tiers: [{tier}], frameworks: [jobset, mpijob]}}}}
teams: {{vision: {{namespaces: [vision], quotas: {{pretrain: {{{tier}: {{guaranteed: 4}}}}}}}}}}
"""


def test_a_job_set_is_admitted(stage: Stage) -> None:
    scene = stage.play(TRAINING.format(tier="train"))
    workers = {"parallelism": 2, "completions": 2, "template": {"spec": pod_spec(CARD)}}
    spec = {"replicatedJobs": [{"name": "workers", "replicas": 1, "template": {"spec": workers}}]}

    got = admitted(scene, in_queue("jobset.x-k8s.io/v1alpha2", "JobSet", "pretrain", spec))

    assert got["workers"]["flavors"] == {"nvidia.com/gpu": "train-h100-sxm-80gb"}


def mpi_job(**annotations: str) -> Object:
    """Write an MPI job of two workers with a card each, and a launcher that asks for a processor only."""
    launcher = pod_spec({})
    launcher["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    written = {f"kueue.x-k8s.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    roles = {
        role: {"replicas": replicas, "template": {"metadata": {"annotations": written}, "spec": pods}}
        for role, replicas, pods in (("Launcher", 1, launcher), ("Worker", 2, pod_spec(CARD)))
    }
    return in_queue("kubeflow.org/v2beta1", "MPIJob", "pretrain", {"mpiReplicaSpecs": roles})


def test_an_mpi_job_is_admitted_where_the_tier_has_no_topology(stage: Stage) -> None:
    scene = stage.play(TRAINING.format(tier="flat"))

    got = admitted(scene, mpi_job())

    assert "flavors" not in got["launcher"]
    assert got["worker"]["flavors"] == {"nvidia.com/gpu": "flat-h200-141gb"}


def test_an_mpi_job_starts_on_a_topology_only_with_its_launcher_grouped(stage: Stage) -> None:
    scene = stage.play(TRAINING.format(tier="train"))
    assert "kueue/cpu-only-podset" in {finding.rule for finding in rules.check(scene.fleet)}
    alone = scene.client.create(mpi_job())
    (told,) = scene.until(lambda: waiting(scene), "Kueue to let it wait")
    assert "launcher: no TAS flavor assigned" in condition(told, "QuotaReserved")["message"]
    scene.client.delete(alone)
    scene.until(lambda: not waiting(scene), "it to be gone")

    got = admitted(scene, mpi_job(podset_group_name="all", podset_required_topology=conventions.LEVEL_BLOCK))

    assert all("topologyAssignment" in one for one in got.values())
