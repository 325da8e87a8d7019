"""Prices by the hour are there where cards have a price, once a minute. That they add up: tests/promtool."""

from __future__ import annotations

import pytest

from gpuplan.emit.monitoring import cost
from gpuplan.emit.monitoring.alerts import Group
from tests.unit.emit.fleets import Place, place

PAID = '---\ncardTiers: {paid: {cards: [l40s], costPerCardHour: "1.10 EUR"}}\n'
TEAMS = """---
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {}}}}
"""
PRICES = {"gpuplan:pool_gpu_cost:per_hour", "gpuplan:pool_gpu_unallocated_cost:per_hour"}
OF_TEAMS = {"gpuplan:team_gpu_cost:per_hour", "gpuplan:team_gpu_idle_cost:per_hour"}


def group(here: Place) -> Group:
    (made,) = cost.groups(here.fleet, here.cluster)
    return made


def names(made: Group) -> list[str]:
    return [rule["record"] for rule in made.records]


@pytest.mark.parametrize(
    ("pools", "more", "there"),
    [
        ("a: {tier: big}", TEAMS, set()),
        ("a: {tier: paid}", PAID, PRICES),
        ("a: {tier: paid}, b: {tier: big}", PAID + TEAMS, PRICES | OF_TEAMS),
    ],
    ids=["no price", "no team", "both"],
)
def test_money_is_there_where_cards_have_a_price(pools: str, more: str, there: set[str]) -> None:
    made = names(group(place(pools, more=more)))
    assert set(made) & (PRICES | OF_TEAMS) == there
    assert bool(there) is any("cost" in name for name in made)


def test_a_sample_a_minute_makes_a_bill() -> None:
    assert group(place("a: {tier: paid}", more=PAID)).interval == "60s"


def test_what_nobody_holds_comes_after_what_teams_and_strays_hold() -> None:
    made = names(group(place("a: {tier: paid}, b: {tier: big}", more=PAID + TEAMS)))
    rest = made.index("gpuplan:pool_gpu_unallocated_cost:per_hour")
    assert rest > made.index("gpuplan:team_gpu_cost:per_hour")
    assert rest > made.index("gpuplan:pool_gpu_without_team_cost:per_hour")
