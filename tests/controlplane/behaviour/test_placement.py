"""On which nodes pods sit: topology levels, taints, and floors that smaller pods can break."""

from __future__ import annotations

import pytest

from gpuplan import conventions, rules
from tests.controlplane import workloads
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.client import Object, reference

BLOCK = conventions.LEVEL_BLOCK


def test_a_required_topology_level_holds_all_pods_though_cards_are_free_elsewhere(stage: Stage) -> None:
    scene = stage.play(
        """
nodePools: {h100: {tier: train, nodes: 4, cardsPerNode: 4}}
taskPools:
  pretrain:
    kind: training
    service: guaranteed
    tiers: [train]
    largestJob: {pods: 2, cardsPerPod: 4}
    topology: {required: topology.gpuplan.dev/block}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 16}}}}}
""",
        nodes_per_block=2,
    )
    full = scene.flood("vision", "pretrain", 4, cards=4, within=BLOCK)
    scene.runs(*full)
    first, second, third, _ = sorted(full, key=scene.nodes_of)
    scene.finish(first)
    scene.finish(third)

    gang = scene.submit("vision", "pretrain", pods=2, cards=4, within=BLOCK)

    assert "topology" in scene.waits(gang)
    scene.finish(second)
    scene.runs(gang)
    assert scene.nodes_of(gang) == ["h100-0", "h100-1"]


def test_only_work_in_a_queue_gets_past_the_taints_of_a_pool(stage: Stage) -> None:
    scene = stage.play("""
nodePools:
  h100:
    tier: train
    nodes: 2
    cardsPerNode: 4
    taints:
    - {key: nvidia.com/gpu, effect: NoSchedule}
    - {key: acme.example/team, value: vision, effect: NoExecute}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}}
""")
    stranger = scene.client.create({**reference("v1", "Pod", "stranger", "default"), "spec": workloads.pod_spec({})})

    scene.runs(scene.submit("vision", "pretrain", pods=2, cards=4))

    scene.until(lambda: "untolerated taint" in unschedulable(scene, stranger), "the scheduler to refuse the stranger")
    scene.until(lambda: all(count == 2 for count in ready_agents(scene).values()), "all agents to run on both nodes")
    assert "nvidia-device-plugin-h100" in ready_agents(scene)


def unschedulable(scene: Scene, pod: Object) -> str:
    """Return why no node takes a pod."""
    return str(workloads.condition(scene.client.get(pod), "PodScheduled").get("message", ""))


def ready_agents(scene: Scene) -> dict[str, int]:
    """Return the ready pods of each node agent."""
    agents = scene.client.list("apps/v1", "DaemonSet")
    return {agent["metadata"]["name"]: agent["status"].get("numberReady", 0) for agent in agents}


SMALL_BESIDE_LARGE = """
nodePools: {{cards: {{tier: {tier}, nodes: {nodes}, cardsPerNode: 8}}}}
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [{tier}], largestJob: {{pods: 1, cardsPerPod: 8}}}}
  notebooks: {{kind: experiment, service: shared, tiers: [{tier}], pool: {{{tier}: {small}}}}}
  scratch: {{kind: experiment, service: reclaimable, tiers: [{tier}]}}
teams:
  vision: {{namespaces: [vision], quotas: {{pretrain: {{{tier}: {{guaranteed: 8}}}}, scratch: {{}}}}}}
  nlp: {{namespaces: [nlp], quotas: {{notebooks: {{}}}}}}
"""
"""A floor of one pod of 8 cards, and a shared pool of some single cards."""


def spread(scene: Scene, small: int) -> list[Job]:
    """Run one single-card notebook on each of `small` nodes, within the right of their queue."""
    fillers = scene.flood("vision", "scratch", small, cards=7)
    scene.runs(*fillers)
    notebooks = scene.flood("nlp", "notebooks", small)
    scene.runs(*notebooks)
    assert len({node for one in notebooks for node in scene.nodes_of(one)}) == small
    for filler in fillers:
        scene.finish(filler)
    return notebooks


def is_warned(scene: Scene) -> bool:
    """Tell whether the rule finds a floor that others can break."""
    return "quota/floor-broken-by-fragmentation" in {finding.rule for finding in rules.check(scene.fleet)}


@pytest.mark.parametrize(("nodes", "small"), [(2, 1), (3, 2)])
def test_a_floor_that_the_rule_calls_safe_starts_in_the_worst_placement_of_others(
    stage: Stage, nodes: int, small: int
) -> None:
    scene = stage.play(SMALL_BESIDE_LARGE.format(tier="train", nodes=nodes, small=small))
    assert not is_warned(scene)
    notebooks = spread(scene, small)

    scene.runs(scene.submit("vision", "pretrain", cards=8))

    assert scene.undisturbed(*notebooks)


def test_a_floor_that_the_rule_warns_of_can_be_made_to_wait(stage: Stage) -> None:
    scene = stage.play(SMALL_BESIDE_LARGE.format(tier="train", nodes=2, small=2))
    assert is_warned(scene)
    notebooks = spread(scene, 2)

    owner = scene.submit("vision", "pretrain", cards=8)

    assert "topology" in scene.waits(owner)
    scene.finish(notebooks[0])
    scene.runs(owner)


def test_without_a_topology_such_a_job_is_admitted_and_its_pod_finds_no_node(stage: Stage) -> None:
    scene = stage.play(SMALL_BESIDE_LARGE.format(tier="flat", nodes=2, small=2))
    assert is_warned(scene)
    notebooks = spread(scene, 2)

    owner = scene.submit("vision", "pretrain", cards=8)

    scene.until(lambda: workloads.is_true(scene.look().workloads.get(owner.uid), "Admitted"), "Kueue to admit it")
    pods = scene.until(lambda: scene.look().pods.get(owner.uid, []), "its pod")
    scene.until(lambda: "Insufficient nvidia.com/gpu" in unschedulable(scene, pods[0]), "no node to have room")
    scene.finish(notebooks[0])
    scene.runs(owner)
