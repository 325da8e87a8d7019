"""What the spec knows, as constant series: every share, price and quota exactly as it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.emit.monitoring import info, promql, publish, series
from gpuplan.emit.monitoring.series import Series
from tests.unit.emit.fleets import Place, place

TEAMS = """
---
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  notebooks: {kind: experiment, service: shared, tiers: [big], pool: {big: 4}}
teams:
  vision: {namespaces: [vision, vision-batch], costCenter: cc-120, quotas: {pretrain: {big: {guaranteed: 8, borrow: 4}}, notebooks: {}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {}}}
"""
PRICED = "---\ncardTiers: {paid: {cards: [%s], costPerCardHour: 2.40 USD}}"


def facts(here: Place, of: Series) -> dict[tuple[str, ...], str]:
    """Return the values of a series, by its labels in the order of `series.py`."""
    found: dict[tuple[str, ...], str] = {}
    for group in info.groups(here.fleet, here.cluster):
        for rule in group.records:
            if rule["record"] == of.name:
                assert set(rule["labels"]) == set(of.labels)
                found[tuple(rule["labels"][label] for label in of.labels)] = (
                    rule["expr"].removeprefix("vector(").removesuffix(")")
                )
    return found


def test_teams_their_namespaces_and_their_queues_are_known() -> None:
    here = place("a: {tier: big}", more=TEAMS)
    assert facts(here, series.NAMESPACE_TEAM) == {
        ("nlp", "nlp"): "1",
        ("vision", "vision"): "1",
        ("vision-batch", "vision"): "1",
    }
    assert facts(here, series.TEAM) == {("nlp", ""): "1", ("vision", "cc-120"): "1"}
    assert facts(here, series.QUEUE_TEAM) == {
        ("nlp-pretrain", "nlp", "pretrain", "guaranteed"): "1",
        ("vision-notebooks", "vision", "notebooks", "shared"): "1",
        ("vision-pretrain", "vision", "pretrain", "guaranteed"): "1",
    }


def test_quotas_are_spelt_as_kueue_does_and_shared_pools_own_theirs() -> None:
    here = place("a: {tier: big}", more=TEAMS)
    assert facts(here, series.QUEUE_QUOTA) == {
        ("nlp-pretrain", "nvidia.com/gpu"): "0",
        ("vision-notebooks", "nvidia.com/gpu"): "0",
        ("vision-pretrain", "nvidia.com/gpu"): "8",
    }
    assert facts(here, series.COHORT_QUOTA) == {("notebooks", "nvidia.com/gpu"): "4"}


def test_quotas_of_several_flavors_add_up_and_leave_out_what_is_no_card() -> None:
    more = """
---
taskPools: {pretrain: {kind: training, service: queued, tiers: [big, desk], fallback: nextTier}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {big: {guaranteed: 8}, desk: {guaranteed: 3}}}}}
"""
    companions = "companions: {cpu: 64, memory: 512Gi}"
    here = place(f"a: {{tier: big, {companions}}}, b: {{tier: desk, {companions}}}", more=more)
    assert facts(here, series.QUEUE_QUOTA) == {("vision-pretrain", "nvidia.com/gpu"): "11"}


@pytest.mark.parametrize(
    ("pool", "shares"),
    [
        ("{tier: big}", {"nvidia_com_gpu": "1"}),
        ("{tier: desk, sharing: {timeSlicing: {replicas: 4}}}", {"nvidia_com_gpu_shared": "0.25"}),
        ("{tier: desk, sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}", {"nvidia_com_gpu": "0.25"}),
        ("{tier: desk, sharing: {mps: {replicas: 3}}}", {"nvidia_com_gpu_shared": "1 / 3"}),
        ("{sharing: {mig: {profiles: {1g.5gb: 7}, strategy: single}}}", {"nvidia_com_gpu": "1 / 7"}),
        (
            "{sharing: {mig: {profiles: {3g.20gb: 1, 1g.5gb: 4}, strategy: mixed}}}",
            {"nvidia_com_mig_1g_5gb": "1 / 7", "nvidia_com_mig_3g_20gb": "3 / 7"},
        ),
        ("{tier: amd, stack: operator, sharing: {partition: {compute: CPX}}}", {"amd_com_gpu": "0.125"}),
        ("{tier: ascend, sharing: {vnpu: {templates: {vir02: 4}}}}", {"huawei_com_Ascend310P_2c": "0.25"}),
        ("{tier: gaudi}", {"habana_ai_gaudi": "1"}),
        ("{tier: big, exposure: dra}", {"dra_gpuplan_dev_gpu": "1"}),
        ("{tier: desk, sharing: {hami: {split: 10}}}", {"nvidia_com_gpu": "0.1"}),
    ],
)
def test_a_unit_is_the_part_of_a_card_that_it_is_under_the_name_that_pods_ask_for(
    pool: str, shares: dict[str, str]
) -> None:
    found = facts(place(f"a: {pool}"), series.FRACTION)
    assert found == {("a", resource): share for resource, share in shares.items()}


def test_instances_of_a_cut_card_are_known_by_their_profile() -> None:
    here = place("a: {sharing: {mig: {profiles: {3g.20gb: 1, 1g.5gb: 4}}}}, b: {tier: big}")
    assert facts(here, series.MIG_FRACTION) == {("a", "1g.5gb"): "1 / 7", ("a", "3g.20gb"): "3 / 7"}


@pytest.mark.parametrize(
    ("sharing", "card", "units"),
    [
        ("exclusive", "h200-141gb", {"nvidia_com_gpu": "2.4"}),
        ("{timeSlicing: {replicas: 10}}", "l4", {"nvidia_com_gpu_shared": "0.24"}),
        ("{mig: {profiles: {1g.10gb: 7}}}", "a100-sxm-80gb", {"nvidia_com_mig_1g_10gb": "12 / 35"}),
    ],
)
def test_a_unit_costs_its_part_of_the_card(sharing: str, card: str, units: dict[str, str]) -> None:
    here = place(f"a: {{tier: paid, sharing: {sharing}}}", more=PRICED % card)
    assert facts(here, series.CARD_PRICE) == {("a", "USD"): "2.4"}
    assert facts(here, series.PRICE) == {("a", resource, "USD"): price for resource, price in units.items()}


def test_without_a_price_there_is_none() -> None:
    here = place("a: {tier: big}")
    assert facts(here, series.CARD_PRICE) == facts(here, series.PRICE) == {}


def test_all_units_of_a_card_cost_what_the_card_costs() -> None:
    for replicas in range(2, 49):
        here = place(f"a: {{tier: paid, sharing: {{timeSlicing: {{replicas: {replicas}}}}}}}", more=PRICED % "l4")
        (unit,) = facts(here, series.PRICE).values()
        assert Fraction(unit.replace(" ", "")) * replicas == Fraction("2.40")


def test_the_rules_of_a_thousand_teams_cost_no_more_a_team_than_those_of_two_hundred() -> None:
    """In proportion, 5 times the teams take 5 times as long; a loop over teams in a loop would take 25 times."""
    few, many = compiling(200), compiling(1000)
    assert min(many() for _ in range(3)) < 12 * min(few() for _ in range(3))


def compiling(number: int) -> Callable[[], float]:
    """Return what compiles the rules of so many teams, and gives the seconds of a core that it took."""
    teams = "\n".join(
        f"  t{one}: {{namespaces: [t{one}, t{one}-batch], quotas: {{pretrain: {{}}}}}}" for one in range(number)
    )
    pool = "taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}"
    here = place("a: {tier: big, nodes: 500}", more=f"{pool}\nteams:\n{teams}")

    def compile_them() -> float:
        begun = time.process_time()
        made = list(publish.texts(here.fleet, here.cluster, publish.groups(here.fleet, here.cluster)))
        taken = time.process_time() - begun
        shown = sum(text.text.count("gpuplan_clusterqueue_team_info") for text in made if "teams.rules" in text.path)
        assert shown == number
        return taken

    return compile_them


@given(st.fractions(min_value=0, max_value=10**9))
def test_a_number_is_written_exactly(value: Fraction) -> None:
    text = promql.number(value)
    assert Fraction(text.replace(" ", "")) == value
    assert "e" not in text
    assert text == "0" or not text.endswith(".")


@given(st.integers(0, 10**12), st.integers(0, 6))
def test_a_decimal_stays_one(digits: int, places: int) -> None:
    value: Any = Fraction(digits, 10**places)
    assert "/" not in promql.number(value)
