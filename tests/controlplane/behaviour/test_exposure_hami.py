"""HAMi's shares: real Kueue counts the pods on a card and leaves their memory to HAMi's scheduler."""

from __future__ import annotations

from typing import Any

from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.workloads import is_true

SHARES = """
nodePools: {h200: {tier: flat, nodes: 1, cardsPerNode: 2, sharing: {hami: {split: 4}}}}
taskPools: {notebooks: {kind: experiment, service: queued, tiers: [flat], largestJob: {cardsPerPod: 2}}}
teams: {vision: {namespaces: [vision], quotas: {notebooks: {flat: {guaranteed: 8}}}}}
governance: {guardRails: {queueRequired: deny, producedResources: deny}}
"""
PART = {"nvidia.com/gpumem-percentage": 25}


def part(scene: Scene, **asked: Any) -> dict[str, Any]:
    """Write a job that asks HAMi for parts of cards."""
    made: dict[str, Any] = {**scene.job("vision", "notebooks", **asked)}
    made["spec"]["template"]["spec"]["schedulerName"] = "hami-scheduler"
    return made


def test_pods_that_ask_for_parts_of_cards_are_admitted_by_their_number(stage: Stage) -> None:
    scene = stage.play(SHARES)
    within = Job(made=scene.client.create(part(scene, pods=7, beside=PART)))

    # Nobody plays HAMi's scheduler here: being admitted is all there is to see.
    scene.until(lambda: is_true(scene.look().workloads.get(within.uid), "Admitted"), f"{within} to be admitted")

    beyond = Job(made=scene.client.create(part(scene, cards=2, beside=PART)))
    assert "insufficient unused quota for nvidia.com/gpu" in scene.waits(beyond)


def test_pods_that_hami_would_give_no_card_are_refused(stage: Stage) -> None:
    scene = stage.play(SHARES)
    assert "need schedulerName: hami-scheduler" in scene.refused(scene.job("vision", "notebooks", beside=PART))
    without = part(scene, resource="nvidia.com/gpumem", cards=4000)
    assert "ask for nvidia.com/gpu too" in scene.refused(without)
