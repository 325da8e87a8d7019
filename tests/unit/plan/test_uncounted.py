"""Pools whose nodes nobody has counted: what is rendered for them, and what a plan says once somebody has."""

from __future__ import annotations

import pytest

from gpuplan.diagnostics import has_errors
from gpuplan.pipeline import render
from gpuplan.plan.live import NOBODY_LOOKED
from gpuplan.plan.parts import Risk
from gpuplan.plan.rollout import rollouts_of
from tests.build import fleet
from tests.unit.plan.two import comparison, edited, effects

UNCOUNTED = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36", stack: STACK}}
cardTiers: {train: {cards: [a100-sxm-40gb]}}
nodePools:
  a:
    cluster: eu
    tier: train
    selectedBy: {nfd: {}}
    companions: {cpu: 90}
    sharing: {mig: {profiles: {1g.5gb: 7}}}
taskPools:
  lab: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  x: {namespaces: [x], quotas: {lab: {}}}
"""
COUNTED = UNCOUNTED.replace("    tier: train\n", "    tier: train\n    nodes: 4\n    cardsPerNode: 8\n")


@pytest.mark.parametrize("stack", ["manual", "operator", "external"])
def test_nodes_that_nobody_counted_are_rendered_without_a_fault(stack: str) -> None:
    manifests, found = render(fleet(UNCOUNTED.replace("STACK", stack)))
    assert not has_errors(found)
    root = next(one.object for one in manifests if one.key.kind == "Cohort" and one.key.name == "acme")
    quotas = root["spec"]["resourceGroups"][0]["flavors"][0]["resources"]  # type: ignore[index]  # a Cohort
    assert {quota["name"]: quota["nominalQuota"] for quota in quotas} == {"cpu": "0", "nvidia.com/mig-1g.5gb": "0"}


def test_no_number_of_nodes_or_cards_is_recorded_that_nobody_knows() -> None:
    manifests, _ = render(fleet(UNCOUNTED.replace("STACK", "manual")))
    recorded = "\n".join(str(one.object) for one in manifests if one.key.kind == "PrometheusRule")
    for series in ("gpuplan_pool_nodes", "gpuplan_pool_gpus_per_node", "gpuplan_pool_node_cards"):
        assert f"'record': '{series}'" not in recorded


@pytest.mark.parametrize(("old", "new"), [(UNCOUNTED, COUNTED), (COUNTED, UNCOUNTED)], ids=["counted", "forgotten"])
def test_a_count_that_is_learnt_or_forgotten_moves_no_node_and_cuts_no_card(old: str, new: str) -> None:
    old, new = old.replace("STACK", "manual"), new.replace("STACK", "manual")
    made = effects(old, new)
    assert not {one.fact for one in made} & {"pool/grown", "pool/shrunk", "sharing/mig-recut", "pool/cards-per-node"}
    assert all(one.risk.rank <= Risk.LOW.rank for one in made), [one.summary for one in made]
    both = comparison(old, new, NOBODY_LOOKED)
    assert not [one for one in rollouts_of(both, made) if one.kind in ("recut", "shrink")]


def test_a_cut_of_uncounted_cards_that_changes_is_still_one() -> None:
    old = UNCOUNTED.replace("STACK", "manual")
    new = edited(old, ("1g.5gb: 7", "3g.20gb: 2"))
    assert "sharing/mig-recut" in {one.fact for one in effects(old, new)}
