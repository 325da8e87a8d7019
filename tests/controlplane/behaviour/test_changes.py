"""What changes do to work that runs: the facts that `gpuplan plan` rests on, shown by a real Kueue and a real API server.

A change reaches the cluster as a plan says: its objects are applied, and taken away, as Argo CD would.
"""

from __future__ import annotations

import pytest

from gpuplan.plan import compare_states, plan
from gpuplan.plan.parts import Action
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.stage import HEAD, Stage
from tests.controlplane.client import ApiError, Object, reference
from tests.plan.kinds import state

pytestmark = pytest.mark.controlplane

QUEUE = "kueue.x-k8s.io/v1beta2"

TWO_TEAMS = """
nodePools: {h100: {tier: train, nodes: 2, cardsPerNode: 8}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 8}}}}
"""


def merge(scene: Scene, old: str, new: str) -> None:
    """Bring a change to the cluster by the objects of its plan."""
    made = plan(compare_states(state(f"{HEAD}{old}"), state(f"{HEAD}{new}")))
    assert not made.empty
    for change in made.objects:
        if change.ref.cluster is None:
            continue
        if change.action is Action.DELETE:
            key = change.ref.key
            scene.client.delete(reference(key.api_version, key.kind, key.name, key.namespace))
        else:
            scene.client.apply({**(change.after or {})})


def stop(scene: Scene, queue: str, policy: str) -> None:
    """Set a queue's stopPolicy, as a person does in an emergency."""
    scene.client.patch(reference(QUEUE, "ClusterQueue", queue), {"spec": {"stopPolicy": policy}})


def test_nobody_is_evicted_when_a_floor_is_cut_and_nothing_more_is_admitted_above_it(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.flood("nlp", "pretrain", 2, cards=4)
    scene.runs(*running)

    merge(
        scene,
        TWO_TEAMS,
        TWO_TEAMS.replace(
            "nlp], quotas: {pretrain: {train: {guaranteed: 8}}", "nlp], quotas: {pretrain: {train: {guaranteed: 4}}"
        ),
    )
    late = scene.submit("nlp", "pretrain", cards=1)

    scene.waits(late)
    assert scene.undisturbed(*running)
    scene.finish(running[0])
    scene.waits(late)
    scene.finish(running[1])
    scene.runs(late)


def test_what_runs_above_a_floor_that_was_cut_is_evicted_by_its_new_owner(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.flood("nlp", "pretrain", 2, cards=4)
    scene.runs(*running)

    handed = TWO_TEAMS.replace("guaranteed: 8}}}}\n  nlp", "guaranteed: 12}}}}\n  nlp")
    handed = handed.replace(
        "nlp], quotas: {pretrain: {train: {guaranteed: 8}}", "nlp], quotas: {pretrain: {train: {guaranteed: 4}}"
    )
    merge(scene, TWO_TEAMS, handed)
    owner = scene.flood("vision", "pretrain", 3, cards=4)

    scene.runs(*owner)
    assert sorted(scene.look().evictions(job) > 0 for job in running) == [False, True]


def test_a_held_queue_admits_nothing_and_evicts_nobody(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.submit("nlp", "pretrain", cards=4)
    scene.runs(running)

    stop(scene, "nlp-pretrain", "Hold")
    late = scene.submit("nlp", "pretrain", cards=4)

    scene.waits(late)
    assert scene.undisturbed(running)
    stop(scene, "nlp-pretrain", "None")
    scene.runs(late)


def test_hold_and_drain_evicts(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.submit("nlp", "pretrain", cards=4)
    scene.runs(running)

    stop(scene, "nlp-pretrain", "HoldAndDrain")

    scene.evicted(running)


def test_a_queue_that_leaves_waits_for_what_it_has_admitted(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.submit("nlp", "pretrain", cards=4)
    scene.runs(running)

    left = TWO_TEAMS.replace(
        "  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 8}}}}\n", "  nlp: {namespaces: [nlp]}\n"
    )
    merge(scene, TWO_TEAMS, left)

    assert scene.undisturbed(running)
    queue = reference(QUEUE, "ClusterQueue", "nlp-pretrain")
    assert "deletionTimestamp" in scene.client.get(queue)["metadata"]
    scene.finish(running)
    scene.until(lambda: scene.client.find(queue) is None, "the queue to be gone")


@pytest.mark.parametrize(
    ("of", "change"),
    [
        pytest.param(
            reference(QUEUE, "LocalQueue", "pretrain", "nlp"),
            {"spec": {"clusterQueue": "vision-pretrain"}},
            id="LocalQueue",
        ),
        pytest.param(
            reference("scheduling.k8s.io/v1", "PriorityClass", "gpuplan-guaranteed"), {"value": 5}, id="PriorityClass"
        ),
        pytest.param(
            reference(QUEUE, "Topology", "train"),
            {"spec": {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}},
            id="Topology",
        ),
        pytest.param(
            reference(QUEUE, "ResourceFlavor", "train-h100-sxm-80gb"),
            {"spec": {"nodeLabels": {"pool": "other"}}},
            id="ResourceFlavor",
        ),
    ],
)
def test_what_a_plan_calls_immutable_the_server_refuses_to_change(stage: Stage, of: Object, change: Object) -> None:
    scene = stage.play(TWO_TEAMS)

    with pytest.raises(ApiError, match=r"(?i)immutable|may not be changed|forbidden|is not allowed|invalid"):
        scene.client.patch(of, change)


def test_a_taint_with_no_execute_evicts_at_once_and_one_with_no_schedule_leaves_what_runs(stage: Stage) -> None:
    scene = stage.play(TWO_TEAMS)
    running = scene.submit("nlp", "pretrain", cards=8)
    scene.runs(running)
    (name,) = scene.nodes_of(running)
    node = reference("v1", "Node", name)

    scene.client.patch(node, {"spec": {"taints": [{"key": "acme.example/out", "effect": "NoSchedule"}]}})
    late = scene.flood("vision", "pretrain", 1, cards=8)
    scene.runs(*late)
    assert scene.undisturbed(running)

    pods = [pod["metadata"]["uid"] for pod in scene.look().running(running)]
    scene.client.patch(node, {"spec": {"taints": [{"key": "acme.example/out", "effect": "NoExecute"}]}})
    scene.until(
        lambda: not set(pods) & {pod["metadata"]["uid"] for pod in scene.look().running(running)},
        "its pods to be evicted",
    )
