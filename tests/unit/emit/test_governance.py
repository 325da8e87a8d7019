"""Which rules on governance a cluster has, and where their numbers come from. What they record and when they fire: tests/promtool."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuplan.emit.monitoring import governance, reclaimed
from gpuplan.emit.monitoring.alerts import Alert
from gpuplan.model.reclaim import ReclaimReason
from tests.unit.emit.fleets import Place, place

POOLS = "a: {tier: big}"
TEAMS = """
---
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  notebooks: {kind: experiment, service: shared, tiers: [big], pool: {big: %s}}
  scratch: {kind: experiment, service: reclaimable, tiers: [big]}
teams: {vision: {namespaces: [vision], quotas: {%s}}}
"""
EVERY = TEAMS % (4, "pretrain: {big: {guaranteed: 8}}, notebooks: {}, scratch: {}")
SUSPENDS = "governance: {reclaim: {mode: suspend, image: registry.acme.io/gpuplan:1}}\n"
ALL = {
    "TeamGpuIdleHigh",
    "GpuMetricsUnmapped",
    "GpuPoolCongested",
    "TeamStarvedUnderQuota",
    "GpuQuotaDrift",
    "GpuReclaimSpike",
}


def alerts(here: Place) -> Mapping[str, Alert]:
    builders = (governance.groups, reclaimed.groups)
    return {
        alert.name: alert for groups in builders for group in groups(here.fleet, here.cluster) for alert in group.alerts
    }


def reasons(here: Place) -> set[str]:
    rules = [rule for group in reclaimed.groups(here.fleet, here.cluster) for rule in group.records]
    return {rule["labels"]["reason"] for rule in rules if rule["record"] == "gpuplan:reclaimed_workloads:increase1d"}


@pytest.mark.parametrize(
    ("more", "missing"),
    [
        (EVERY, set()),
        ("", ALL),
        (TEAMS % (4, "scratch: {}"), {"GpuPoolCongested", "TeamStarvedUnderQuota"}),
        (TEAMS % (4, "pretrain: {}, notebooks: {}"), {"TeamStarvedUnderQuota"}),
        (TEAMS % (0, "pretrain: {big: {guaranteed: 8}}, notebooks: {}"), {"GpuPoolCongested"}),
    ],
    ids=["all kinds", "no teams", "nothing is owned", "no floor", "an empty task pool"],
)
def test_an_alert_that_cannot_fire_is_not_there(more: str, missing: set[str]) -> None:
    assert alerts(place(POOLS, more=more)).keys() == ALL - missing


def test_every_alert_is_tested_where_it_fires_and_where_it_does_not() -> None:
    for alert in alerts(place(POOLS, more=EVERY)).values():
        assert {case.kind for case in alert.cases} == {"firing", "healthy", "absent", "edge"}, alert.name
        assert all(case.fires for case in alert.cases if case.kind == "firing"), alert.name
        assert not any(case.fires for case in alert.cases if case.kind == "healthy"), alert.name


def test_the_spec_sets_the_thresholds() -> None:
    more = (
        "monitoring: {thresholds: {idlePercent: 45, idleCards: 3, congestedPercent: 120, reclaimedPerDay: 7, "
        f"starvedMinutes: 25}}}}\n{EVERY}"
    )
    made = alerts(place(POOLS, more=more))
    assert "> 0.45 " in made["TeamGpuIdleHigh"].expr
    assert made["TeamGpuIdleHigh"].expr.endswith(">= 3")
    assert made["GpuPoolCongested"].expr.endswith("> 1.2")
    assert "> 7)" in made["GpuReclaimSpike"].expr
    assert made["TeamStarvedUnderQuota"].wait == "25m"


def test_reasons_are_those_of_the_closed_list_and_idle_is_there_where_we_suspend() -> None:
    ours = {ReclaimReason.IDLE.value}
    by_others = {reason.value for reason in ReclaimReason if reason is not ReclaimReason.SCHEDULE} - ours
    assert reasons(place(POOLS, more=EVERY)) == by_others
    assert reasons(place(POOLS, more=SUSPENDS + EVERY)) == by_others | ours


def test_a_team_hears_of_its_floor_and_the_platform_of_quotas_that_drift() -> None:
    made = alerts(place(POOLS, more=EVERY))
    assert {name for name, alert in made.items() if alert.team} == {
        "GpuMetricsUnmapped",
        "GpuPoolCongested",
        "GpuQuotaDrift",
    }


def test_devices_are_counted_as_boards_where_the_exporter_knows_boards() -> None:
    def idle(pools: str) -> str:
        here = place(pools, more="---\ncardTiers: {boards: {cards: [mi250x]}}\n" + EVERY)
        return next(rule["expr"] for group in governance.groups(here.fleet, here.cluster) for rule in group.records)

    assert "gpuplan_pool_gpus_per_node" not in idle(POOLS)
    assert "gpuplan_pool_gpus_per_node" in idle(f"{POOLS}, b: {{tier: boards, stack: operator}}")
