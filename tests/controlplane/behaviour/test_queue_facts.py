"""More facts that plans rest on, shown by a real Kueue: priorities, local queues, and flavors that take over nodes."""

from __future__ import annotations

import pytest

from tests.controlplane import workloads
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.behaviour.test_changes import QUEUE, merge
from tests.controlplane.client import reference

pytestmark = pytest.mark.controlplane

ONE_TEAM = """
nodePools: {h200: {tier: TIER, nodes: 1, cardsPerNode: 8}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [TIER]}}
teams: {nlp: {namespaces: [nlp], quotas: {pretrain: {TIER: {guaranteed: 8}}}}}
"""


def priority(scene: Scene, job: Job) -> int:
    """Return the number by which Kueue orders a job."""
    return int(scene.look().workloads[job.uid]["spec"]["priority"])


def admitted(scene: Scene, job: Job) -> bool:
    """Tell whether a job holds quota, whether or not its pods found a node."""
    return workloads.is_true(scene.look().workloads[job.uid], "Admitted")


def test_a_new_value_of_a_class_reaches_work_that_is_there_and_evicts_nobody(stage: Stage) -> None:
    scene = stage.play(ONE_TEAM.replace("TIER", "flat"))
    running = scene.submit("nlp", "pretrain", cards=8)
    scene.runs(running)
    waiting = scene.submit("nlp", "pretrain", cards=8)
    scene.waits(waiting)

    scene.client.patch(reference(QUEUE, "WorkloadPriorityClass", "guaranteed"), {"value": 4007})

    scene.until(lambda: (priority(scene, running), priority(scene, waiting)) == (4007, 4007), "the new priority")
    assert scene.undisturbed(running)


def test_without_its_local_queue_work_waits_and_what_runs_goes_on(stage: Stage) -> None:
    scene = stage.play(ONE_TEAM.replace("TIER", "flat"))
    running = scene.submit("nlp", "pretrain", cards=4)
    scene.runs(running)
    queue = scene.client.get(reference(QUEUE, "LocalQueue", "pretrain", "nlp"))

    scene.client.delete(queue)
    late = scene.submit("nlp", "pretrain", cards=4)

    scene.until(lambda: late.uid in scene.look().workloads, "Kueue to see the job")
    assert not admitted(scene, late)
    assert scene.undisturbed(running)
    scene.client.apply({**queue, "metadata": {"name": "pretrain", "namespace": "nlp"}, "status": {}})
    scene.runs(late)


@pytest.mark.parametrize("tier", ["flat", "train"])
def test_a_flavor_that_takes_over_nodes_is_admitted_to_as_if_they_were_empty(stage: Stage, tier: str) -> None:
    old = ONE_TEAM.replace("TIER", tier)
    scene = stage.play(old)
    running = scene.submit("nlp", "pretrain", cards=8)
    scene.runs(running)

    merge(scene, old, old.replace("nodes: 1,", "nodes: 1, revision: 1,"))
    late = scene.submit("nlp", "pretrain", cards=8)

    scene.until(lambda: late.uid in scene.look().workloads and admitted(scene, late), "the job to be admitted")
    assert scene.undisturbed(running)
    assert not scene.look().running(late)
