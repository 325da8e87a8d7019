"""What is stopped at the door, by a person's request to the API server, while controllers pass."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator

import pytest
import urllib3

from gpuplan import conventions
from tests.controlplane import workloads
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.client import Object

GUARDED = """
nodePools:
  h100: {{tier: train, nodes: 1, cardsPerNode: 8}}
  t4: {{tier: desk, nodes: 1, cardsPerNode: 2, sharing: {{timeSlicing: {{replicas: 4}}}}}}
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [train]}}
  scratch: {{kind: experiment, service: reclaimable, tiers: [train]}}
  notebooks: {{kind: experiment, service: shared, tiers: [desk], pool: {{desk: 8}}}}
teams:
  vision:
    namespaces: [vision]
    quotas: {{pretrain: {{train: {{guaranteed: 8}}}}, scratch: {{}}, notebooks: {{}}}}
governance: {{guardRails: {{queueRequired: {enforced}, producedResources: {enforced}}}}}
"""
CARD = {"nvidia.com/gpu": 1}


def violations(scene: Scene) -> Iterator[tuple[Object, str]]:
    """Yield what guard rails are about, and what they say of it."""
    yield workloads.job("vision", "unqueued", devices=CARD), "asks for nvidia.com/gpu outside every queue"
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare", "namespace": "vision"}}
    yield {**bare, "spec": workloads.pod_spec(CARD)}, "asks for nvidia.com/gpu outside every queue"
    homeless = workloads.job("default", "homeless", queue="pretrain", priority="guaranteed", devices=CARD)
    yield homeless, "asks for nvidia.com/gpu in namespace 'default', where no team has queues"
    foreign = scene.job("vision", "notebooks", resource="nvidia.com/gpu")
    yield foreign, "queue 'notebooks' has no nvidia.com/gpu: ask for nvidia.com/gpu.shared"


def test_deny_stops_work_without_a_queue_and_work_with_a_foreign_resource(stage: Stage) -> None:
    scene = stage.play(GUARDED.format(enforced="deny"))

    for asked, expected in violations(scene):
        assert expected in scene.refused(asked)

    scene.runs(scene.submit("vision", "pretrain", pods=2), scene.submit("vision", "notebooks"))


def test_warn_lets_it_pass_with_a_warning(stage: Stage) -> None:
    scene = stage.play(GUARDED.format(enforced="warn"))

    for asked, expected in violations(scene):
        scene.until(functools.partial(warned, scene, asked, expected), f"the server to warn: {expected}")


def test_a_floor_holds_where_no_guard_rail_stops_work_that_asks_for_another_tier_s_cards(stage: Stage) -> None:
    scene = stage.play(GUARDED.format(enforced="off"))

    foreign = scene.submit("vision", "notebooks", resource="nvidia.com/gpu")

    assert "nvidia.com/gpu" in scene.waits(foreign)
    scene.runs(scene.submit("vision", "pretrain", pods=8))


def warned(scene: Scene, asked: Object, expected: str) -> bool:
    """Apply an object for a trial, which must succeed, and tell whether the server warns of something."""
    kubeconfig = json.loads(scene.plane.kubeconfig.read_text(encoding="utf-8"))
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    with urllib3.PoolManager(ca_certs=cluster["certificate-authority"]) as server:
        answer = server.request(
            "PATCH",
            f"{cluster['server']}{scene.client.path(asked)}?fieldManager=trial&dryRun=All",
            body=json.dumps(asked),
            headers={"Authorization": f"Bearer {user['token']}", "Content-Type": "application/apply-patch+yaml"},
        )
    assert answer.status < 300, answer.data
    return any(expected in warning for warning in answer.headers.getlist("Warning"))


@pytest.mark.parametrize("priority", ["", "guaranteed-high", "system-node-critical"])
def test_a_job_with_no_priority_or_one_of_another_band_is_refused(stage: Stage, priority: str) -> None:
    scene = stage.play(GUARDED.format(enforced="off"))
    asked = scene.job("vision", "scratch")

    forged = {**asked, "metadata": {**asked["metadata"], "labels": labels(asked, priority)}}

    assert f"one of reclaimable-low, reclaimable, reclaimable-high, not '{priority}'" in scene.refused(forged)
    scene.runs(scene.submit("vision", "scratch"))


def test_a_pod_class_above_the_queue_s_is_refused_and_its_own_runs(stage: Stage) -> None:
    scene = stage.play(GUARDED.format(enforced="off"))

    assert "'gpuplan-reclaimable' or none, not 'system-node-critical'" in scene.refused(
        with_pod_class(scene.job("vision", "scratch"), "system-node-critical")
    )
    scene.client.create(with_pod_class(scene.job("vision", "scratch"), "gpuplan-reclaimable"))


@pytest.mark.parametrize(
    ("value", "preemption", "passes"),
    [
        (0, "PreemptLowerPriority", True),
        (1000, "Never", True),
        (1000, "PreemptLowerPriority", False),
        (1001, "Never", False),
    ],
)
def test_a_pod_without_a_class_bears_the_cluster_s_default_one_and_passes_where_that_pushes_out_nobody(
    stage: Stage, value: int, preemption: str, *, passes: bool
) -> None:
    scene = stage.play(GUARDED.format(enforced="off"))
    scene.client.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "everything"},
            "globalDefault": True,
            "preemptionPolicy": preemption,
            "value": value,
        }
    )
    names = {"kueue.x-k8s.io/queue-name": "scratch", "kueue.x-k8s.io/priority-class": "reclaimable"}
    metadata = {"name": "plain", "namespace": "vision", "labels": names}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": workloads.pod_spec(CARD)}

    said = scene.refused(pod) if not passes else ""
    if passes:
        made = scene.client.create(pod)
        assert made["spec"]["priorityClassName"] == "everything"
    else:
        assert "'gpuplan-reclaimable' or none, not 'everything'" in said


def with_pod_class(asked: Object, name: str) -> Object:
    """Return a job whose pods have a PriorityClass."""
    spec = asked["spec"]
    template = spec["template"]
    return {
        **asked,
        "spec": {**spec, "template": {**template, "spec": {**template["spec"], "priorityClassName": name}}},
    }


def test_a_task_pool_s_topology_must_be_asked_for_and_then_holds(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 2, cardsPerNode: 4}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], topology: {required: topology.gpuplan.dev/block}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}}
""")
    wish = f"{conventions.ANNOTATION_REQUIRED_TOPOLOGY}: {conventions.LEVEL_BLOCK}"

    assert f"queue 'pretrain' need annotation {wish}" in scene.refused(scene.job("vision", "pretrain"))

    scene.runs(scene.submit("vision", "pretrain", within=conventions.LEVEL_BLOCK))


def labels(asked: Object, priority: str) -> dict[str, str]:
    """Return the labels of a job with another priority class, or with none."""
    others = {key: value for key, value in asked["metadata"]["labels"].items() if key != workloads.PRIORITY_LABEL}
    return {**others, workloads.PRIORITY_LABEL: priority} if priority else others
