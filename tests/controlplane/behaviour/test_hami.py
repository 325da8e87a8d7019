"""HAMi's shares: real Kueue counts the pods on a card and leaves their memory to HAMi's scheduler."""

from __future__ import annotations

from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.workloads import is_true

SHARES = """
nodePools: {h200: {tier: flat, nodes: 1, cardsPerNode: 2, sharing: {hami: {split: 4}}}}
taskPools: {notebooks: {kind: experiment, service: queued, tiers: [flat], largestJob: {cardsPerPod: 2}}}
teams: {vision: {namespaces: [vision], quotas: {notebooks: {flat: {guaranteed: 8}}}}}
governance: {guardRails: {queueRequired: deny, producedResources: deny}}
"""
PART = {"nvidia.com/gpumem-percentage": 25}


def test_pods_that_ask_for_parts_of_cards_are_admitted_by_their_number(stage: Stage) -> None:
    scene = stage.play(SHARES)
    within = scene.submit("vision", "notebooks", pods=7, beside=PART)

    # Nobody plays HAMi's scheduler here, and kube-scheduler knows no such memory: being admitted is all there is to see.
    scene.until(lambda: is_true(scene.look().workloads.get(within.uid), "Admitted"), f"{within} to be admitted")

    beyond = scene.submit("vision", "notebooks", cards=2, beside=PART)
    assert "insufficient unused quota for nvidia.com/gpu" in scene.waits(beyond)


def test_a_pod_whose_card_hami_would_add_later_is_refused(stage: Stage) -> None:
    scene = stage.play(SHARES)
    asked = scene.job("vision", "notebooks", resource="nvidia.com/gpumem", cards=4000)
    assert "ask for nvidia.com/gpu too" in scene.refused(asked)
