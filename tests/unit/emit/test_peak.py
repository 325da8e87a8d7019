"""Peak hours as arithmetic on Prometheus' clock. That it agrees with every zone's clocks: tests/promtool/test_peak_hours.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.catalog import load
from gpuplan.emit.monitoring import peak
from gpuplan.model.monitoring import DailyHours
from tests.unit.emit.fleets import place

ZONES = sorted(name for name, zone in load().time_zones.items() if zone.regular)
TEAMS = """
---
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {}}}}
"""


def hours(zone: str = "UTC", days: tuple[int, ...] = (1, 2, 3, 4, 5), start: int = 540, end: int = 1080) -> DailyHours:
    return DailyHours(time_zone=zone, days=days, start=start, end=end, path=())


@pytest.mark.parametrize(
    ("zone", "start", "clock"),
    [
        ("UTC", 0, "vector(time() + 0)"),
        ("UTC", 540, "vector(time() - 32400)"),
        ("Asia/Kathmandu", 0, "vector(time() + 20700)"),
        ("America/Bogota", 60, "vector(time() - 21600)"),
    ],
)
def test_a_clock_that_never_changes_is_an_offset(zone: str, start: int, clock: str) -> None:
    assert peak.clock(load(), hours(zone, start=start)) == clock


@pytest.mark.parametrize(
    ("zone", "ahead"),
    [("Europe/Berlin", "3600 * ("), ("Australia/Lord_Howe", "1800 * ("), ("Europe/Dublin", "-3600 * (")],
)
def test_summer_time_moves_the_clock(zone: str, ahead: str) -> None:
    assert f" + {ahead}" in peak.clock(load(), hours(zone))


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ((0, 1, 2, 3, 4, 5, 6), ""),
        ((1, 2, 3), " * (day_of_week(X) >= bool 1) * (day_of_week(X) <= bool 3)"),
        ((6,), " * (day_of_week(X) >= bool 6) * (day_of_week(X) <= bool 6)"),
        ((0, 3), " * ((day_of_week(X) == bool 0) + (day_of_week(X) == bool 3))"),
    ],
)
def test_days_are_those_on_which_the_hours_begin(days: tuple[int, ...], said: str) -> None:
    expr = peak.within(hours(days=days)).replace("gpuplan:peak_clock:seconds", "X")
    assert expr == f"(60 * hour(X) + minute(X) < bool 540){said}"


@given(st.sampled_from(ZONES), st.integers(0, 1439), st.integers(0, 1439))
def test_hours_of_any_zone_compile_to_what_old_and_new_prometheus_know(zone: str, start: int, end: int) -> None:
    made = hours(zone, start=start, end=end)
    length = (end - start) % 1440 or 1440
    assert f"< bool {length})" in peak.within(made)
    expr = peak.clock(load(), made)
    assert expr.count("(") == expr.count(")")
    assert "--" not in expr


def test_hours_are_there_where_teams_are() -> None:
    alone, with_teams = place("a: {tier: big}"), place("a: {tier: big}", more=TEAMS)
    assert not list(peak.groups(alone.fleet, alone.cluster))
    (group,) = peak.groups(with_teams.fleet, with_teams.cluster)
    assert [rule["record"] for rule in group.records] == ["gpuplan:peak_clock:seconds", "gpuplan_peak_hours:bool"]
