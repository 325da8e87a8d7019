"""Training: whose cards are looked at, and where there is nothing to see. That the alert fires: tests/promtool."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.emit.monitoring import training
from gpuplan.emit.monitoring.alerts import Group
from tests.unit.emit.fleets import Place, place

TRAINS = """
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams: {nlp: {namespaces: [nlp], quotas: {pretrain: {}}}}
"""
SERVES_TOO = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  chat: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm}}
teams: {nlp: {namespaces: [nlp], quotas: {pretrain: {}, chat: {}}}}
"""


def groups(here: Place) -> tuple[Group, ...]:
    return tuple(training.groups(here.fleet, here.cluster))


def expression(here: Place, record: str) -> Any:
    (group,) = groups(here)
    (found,) = [rule["expr"] for rule in group.records if rule["record"] == record]
    return found


def test_the_pools_of_training_task_pools_are_looked_at() -> None:
    found = expression(
        place("a: {tier: big}, b: {tier: big}, c: {tier: lab}", more=TRAINS), "gpuplan:team_tensor_active:avg"
    )
    assert 'pool=~"a|b"' in found
    assert '{task_pool=~"pretrain"}' in found


@pytest.mark.parametrize(
    ("pools", "cluster", "more"),
    [
        pytest.param("a: {tier: big}", "", TRAINS + "monitoring: {exporter: {profiling: false}}", id="no profiling"),
        pytest.param("a: {tier: big}", "stack: external", TRAINS, id="somebody else's exporter"),
        pytest.param("a: {tier: big, sharing: {timeSlicing: {replicas: 4}}}", "", TRAINS, id="shared cards"),
        pytest.param("a: {tier: big, sharing: {mig: {profiles: {1g.10gb: 7}}}}", "", TRAINS, id="cut cards"),
        pytest.param(
            "a: {tier: amd}", "stack: operator", TRAINS.replace("[big]", "[amd]"), id="another vendor's cards"
        ),
        pytest.param("a: {tier: big}", "", TRAINS.replace("kind: training", "kind: experiment"), id="no training"),
    ],
)
def test_nothing_is_rendered_that_could_never_fire(pools: str, cluster: str, more: str) -> None:
    assert groups(place(pools, cluster, more)) == ()


@pytest.mark.parametrize(("more", "spared"), [(TRAINS, False), (SERVES_TOO, True)])
def test_pods_of_engines_are_left_out_where_there_are_engines(more: str, spared: bool) -> None:
    found = expression(place("a: {tier: big}", more=more), "gpuplan:team_tensor_active:avg")
    assert ('up{task_pool!=""}' in found) is spared


def test_the_spec_sets_the_loss_that_raises_the_alert() -> None:
    more = TRAINS + "monitoring: {thresholds: {throughputDropPercent: 35}}"
    (group,) = groups(place("a: {tier: big}", more=more))
    assert group.alerts[0].expr.endswith("< -0.35")
