"""Cards of other vendors are governed like NVIDIA's: jobs are admitted by the names that their plugins offer, and run there."""

from __future__ import annotations

import pytest

from tests.controlplane.behaviour.stage import Stage

MIXED = """
---
cardTiers:
  amd: {cards: [mi300x]}
  parts: {cards: [mi300x]}
  npu: {cards: [ascend-910b3]}
  slices: {cards: [ascend-310p3]}
  gaudi: {cards: [gaudi3]}
nodePools:
  h100: {tier: train, nodes: 1, cardsPerNode: 4}
  amd:
    tier: amd
    stack: operator
    nodes: 1
    cardsPerNode: 8
    selectedBy: {labels: {pool: amd}}
    taints: [{key: amd.com/gpu, effect: NoSchedule}]
  cpx:
    tier: parts
    stack: operator
    nodes: 1
    cardsPerNode: 8
    selectedBy: {labels: {pool: cpx, dcm.amd.com/gpu-config-profile: cpx-nps1-8}}
    sharing: {partition: {compute: CPX, resourceNaming: mixed}}
  npu: {tier: npu, nodes: 1, cardsPerNode: 8, selectedBy: {labels: {pool: npu}}}
  vnpu:
    tier: slices
    nodes: 1
    cardsPerNode: 4
    selectedBy: {labels: {pool: vnpu}}
    sharing: {vnpu: {templates: {vir02: 4}}}
  gaudi: {tier: gaudi, nodes: 1, cardsPerNode: 8, selectedBy: {labels: {pool: gaudi}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  on-amd: {kind: training, service: queued, tiers: [amd]}
  on-parts: {kind: experiment, service: queued, tiers: [parts]}
  on-npu: {kind: training, service: queued, tiers: [npu]}
  on-slices: {kind: batchInference, service: queued, tiers: [slices]}
  on-gaudi: {kind: training, service: queued, tiers: [gaudi]}
teams:
  vision:
    namespaces: [vision]
    quotas:
      pretrain: {train: {guaranteed: 4}}
      on-amd: {amd: {guaranteed: 8}}
      on-parts: {parts: {guaranteed: 64}}
      on-npu: {npu: {guaranteed: 8}}
      on-slices: {slices: {guaranteed: 16}}
      on-gaudi: {gaudi: {guaranteed: 8}}
governance: {guardRails: {queueRequired: deny, producedResources: deny}}
"""
"""One node of each vendor, whole and in parts, in one cluster."""

ASKED = {
    "on-amd": ("amd.com/gpu", 8, "amd"),
    "on-parts": ("amd.com/cpx_nps1", 3, "cpx"),
    "on-npu": ("huawei.com/Ascend910", 4, "npu"),
    "on-slices": ("huawei.com/Ascend310P-2c", 1, "vnpu"),
    "on-gaudi": ("habana.ai/gaudi", 8, "gaudi"),
}
"""What a pod of each task pool asks for, how many, and the node pool where it has to run."""


def test_a_job_runs_on_the_cards_of_the_vendor_that_its_queue_stands_for(stage: Stage) -> None:
    scene = stage.play(MIXED)
    for queue, (resource, cards, pool) in ASKED.items():
        job = scene.submit("vision", queue, cards=cards, resource=resource)
        scene.runs(job)
        assert scene.pools_of(job) == {pool}
        said = scene.refused(scene.job("vision", queue, resource="nvidia.com/gpu"))
        assert f"queue '{queue}' has no nvidia.com/gpu" in said


@pytest.mark.parametrize(("queue", "resource", "all_pieces"), [("on-parts", "amd.com/cpx_nps1", 64)])
def test_partitions_are_all_there_and_no_more(stage: Stage, queue: str, resource: str, all_pieces: int) -> None:
    scene = stage.play(MIXED)
    full = scene.submit("vision", queue, cards=all_pieces, resource=resource)
    scene.runs(full)
    assert f"insufficient unused quota for {resource}" in scene.waits(scene.submit("vision", queue, resource=resource))
