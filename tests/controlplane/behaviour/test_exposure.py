"""How cards are exposed: pods that ask for what a pool offers run there, and nobody asks for anything else."""

from __future__ import annotations

import pytest

from tests.controlplane.behaviour.stage import Stage

PARTS = """
nodePools:
  h100: {{tier: train, nodes: 1, cardsPerNode: 4}}
  parts: {{tier: {tier}, nodes: 1, cardsPerNode: 2, sharing: {sharing}}}
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [train]}}
  notebooks: {{kind: experiment, service: queued, tiers: [{tier}]}}
teams:
  vision:
    namespaces: [vision]
    quotas: {{pretrain: {{train: {{guaranteed: 4}}}}, notebooks: {{{address}: {{guaranteed: 8}}}}}}
governance: {{guardRails: {{queueRequired: deny, producedResources: deny}}}}
"""
"""Two cards in parts, 8 in all, beside whole cards."""

CARD, SHARE, SLICE = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb"
EXPOSED = {
    "time slices": ("desk", "{timeSlicing: {replicas: 4}}", "desk", SHARE, CARD),
    "MPS shares": ("probe", "{mps: {replicas: 4}}", "probe", SHARE, CARD),
    "MIG instances by profile": ("lab", "{mig: {profiles: {1g.5gb: 4, 3g.20gb: 1}}}", "lab/1g.5gb", SLICE, CARD),
    "MIG instances as cards": ("ci", "{mig: {profiles: {1g.6gb: 4}, strategy: single}}", "ci", CARD, SHARE),
}
"""The tier of the parts, how they are made, their address in a quota, what to ask for, and what not."""


@pytest.mark.parametrize("exposed", EXPOSED)
def test_a_pool_runs_pods_that_ask_for(stage: Stage, exposed: str) -> None:
    tier, sharing, address, offered, foreign = EXPOSED[exposed]
    scene = stage.play(PARTS.format(tier=tier, sharing=sharing, address=address))

    full = scene.submit("vision", "notebooks", pods=8, resource=offered)
    scene.runs(full)
    assert scene.pools_of(full) == {"parts"}

    scene.waits(scene.submit("vision", "notebooks", resource=offered))
    said = scene.refused(scene.job("vision", "notebooks", resource=foreign))
    assert f"queue 'notebooks' has no {foreign}" in said


def test_what_stands_beside_the_cards_is_counted_with_them_where_the_spec_asks(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8, companions: {cpu: "64"}}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4}}}}}
""")
    within = scene.submit("vision", "pretrain", cards=2, beside={"cpu": 24})
    scene.runs(within)

    beyond = scene.submit("vision", "pretrain", cards=2, beside={"cpu": 16})

    assert "insufficient unused quota for cpu" in scene.waits(beyond)
    scene.runs(scene.submit("vision", "pretrain", cards=2, beside={"cpu": 8}))
