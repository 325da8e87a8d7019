"""Which tier work goes to, and where it never goes."""

from __future__ import annotations

import pytest

from tests.controlplane.behaviour.stage import Stage

TWO_TIERS = """
nodePools:
  l40s: {{tier: serve, nodes: 1, cardsPerNode: 4}}
  h100: {{tier: train, nodes: 1, cardsPerNode: 4}}
taskPools:
  nightly: {{kind: batchInference, service: guaranteed, tiers: [serve, train], fallback: {fallback}}}
  scratch: {{kind: experiment, service: reclaimable, tiers: [serve]}}
teams:
  vision:
    namespaces: [vision]
    quotas: {{nightly: {{serve: {{guaranteed: 2, borrow: 2}}, train: {{guaranteed: 2}}}}, scratch: {{}}}}
"""
"""The first tier has a floor of 2 and 2 more to borrow, the second a floor of 2."""


def test_next_tier_goes_on_before_it_borrows(stage: Stage) -> None:
    scene = stage.play(TWO_TIERS.format(fallback="nextTier"))

    pools = []
    for _ in range(3):
        job = scene.submit("vision", "nightly", cards=2)
        scene.runs(job)
        pools.append(scene.pools_of(job))

    assert pools == [{"l40s"}, {"h100"}, {"l40s"}], "its floors first, then what it may borrow"


def test_last_resort_borrows_before_it_goes_on(stage: Stage) -> None:
    scene = stage.play(TWO_TIERS.format(fallback="lastResort"))

    pools = []
    for _ in range(3):
        job = scene.submit("vision", "nightly", cards=2)
        scene.runs(job)
        pools.append(scene.pools_of(job))

    assert pools == [{"l40s"}, {"l40s"}, {"h100"}]


def test_next_tier_goes_on_before_it_evicts(stage: Stage) -> None:
    scene = stage.play(TWO_TIERS.format(fallback="nextTier"))
    reclaimable = scene.submit("vision", "scratch", cards=4)
    scene.runs(reclaimable)

    job = scene.submit("vision", "nightly", cards=2)

    scene.runs(job)
    assert scene.pools_of(job) == {"h100"}
    assert scene.undisturbed(reclaimable)


def test_last_resort_evicts_before_it_goes_on(stage: Stage) -> None:
    scene = stage.play(TWO_TIERS.format(fallback="lastResort"))
    reclaimable = scene.submit("vision", "scratch", cards=4)
    scene.runs(reclaimable)

    job = scene.submit("vision", "nightly", cards=2)

    scene.runs(job)
    assert scene.pools_of(job) == {"l40s"}
    scene.evicted(reclaimable)


TRAINING_AND_SERVING = """
nodePools:
  a100: {tier: lab, nodes: 1, cardsPerNode: 4}
  l40s: {tier: serve, nodes: 1, cardsPerNode: 4}
taskPools:
  finetune: {kind: training, service: guaranteed, tiers: [lab]}
  nightly: {kind: batchInference, service: guaranteed, tiers: [serve]}
teams:
  vision:
    namespaces: [vision]
    quotas: {finetune: {lab: {guaranteed: 4}}, nightly: {serve: {guaranteed: 4}}}
"""


def test_a_pool_with_one_tier_never_falls_back(stage: Stage) -> None:
    scene = stage.play(TRAINING_AND_SERVING)
    first = scene.submit("vision", "finetune", cards=4)
    scene.runs(first)

    second = scene.submit("vision", "finetune", cards=1)

    scene.waits(second)
    scene.finish(first)
    scene.runs(second)
    assert scene.pools_of(second) == {"a100"}


@pytest.mark.parametrize(("queue", "own"), [("finetune", "a100"), ("nightly", "l40s")])
def test_training_and_serving_never_land_on_each_others_nodes(stage: Stage, queue: str, own: str) -> None:
    scene = stage.play(TRAINING_AND_SERVING)
    scene.cordon(own)

    job = scene.submit("vision", queue, cards=4)

    scene.waits(job)
    scene.uncordon(own)
    scene.runs(job)
    assert scene.pools_of(job) == {own}
