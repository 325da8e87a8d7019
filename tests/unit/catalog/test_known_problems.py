"""Known problems and the steps of upgrades: the data as a whole, and which versions a problem concerns."""

from __future__ import annotations

import datetime as dt

import pytest

from gpuplan import catalog
from gpuplan.catalog import effects, known_problems, upgrade_steps
from gpuplan.moving import upgrade_effects, upgrade_problems
from gpuplan.versions import required

PROBLEMS = known_problems.read()
STEPS = upgrade_steps.read()
KNOWN = catalog.load()
NAMES = {name for release in KNOWN.releases.values() for name in release.components}


def test_there_are_at_least_25_and_each_has_a_source_a_day_and_a_remedy() -> None:
    assert len(PROBLEMS) >= 25
    for one in PROBLEMS.values():
        assert one.source.startswith("https://"), one.name
        assert one.checked >= dt.date(2026, 8, 31), one.name
        assert one.remedy.endswith("."), one.name
        assert not one.summary.endswith("."), one.name


def test_each_is_of_a_component_of_release_sets_or_of_the_driver() -> None:
    assert {one.component for one in PROBLEMS.values()} <= NAMES | {"driver"}


def test_what_conditions_ask_for_is_known() -> None:
    for one in PROBLEMS.values():
        assert set(one.when.features) <= upgrade_problems.FEATURES, one.name
        assert set(one.when.systems) <= {*KNOWN.compat.operating_systems}, one.name
        assert set(one.when.distributions) <= {*KNOWN.distributions}, one.name
        assert set(one.when.stacks) <= {"operator", "manual", "external"}, one.name
        assert set(one.when.sharing) <= {"exclusive", "timeSlicing", "mps", "mig"}, one.name
        assert set(one.when.architectures) <= {card.architecture for card in KNOWN.cards.values()}, one.name


@pytest.mark.parametrize(
    ("name", "old", "new", "concerned"),
    [
        ("dcgm-exporter-hostname", "4.5.3-4.8.2", "4.6.0-4.8.3", True),
        ("dcgm-exporter-hostname", "4.6.0-4.8.3", "4.8.4", False),
        ("dcgm-exporter-hostname", "4.4.0-4.5.0", "4.5.3-4.8.2", False),
        ("kueue-limit-range", "v0.17.1", "v0.19.2", True),
        ("kueue-limit-range", "v0.17.1", "v0.19.3", False),
        ("kueue-limit-range", "v0.17.1", "v0.18.6", True),
        ("kueue-limit-range", "v0.17.1", "v0.18.7", False),
        ("kueue-limit-range", "v0.19.3", "v0.20.0", False),
        ("kueue-limit-range", "v0.16.0", "v0.17.1", True),
        ("kueue-group-upgrade-gated", "v0.18.0", "v0.18.8", False),
        ("kueue-group-upgrade-gated", "v0.18.0", "v0.19.1", True),
        ("kueue-group-upgrade-gated", "v0.18.0", "v0.19.2", False),
        ("driver-570-mixed-mig", "535.309.01", "570.133.20", True),
        ("driver-570-mixed-mig", "535.309.01", "570.172.08", False),
        ("driver-570-mixed-mig", "535.309.01", "580.173.02", False),
        ("device-plugin-forgets-bad-cards", "v0.19.2", "v0.20.0", True),
    ],
)
def test_a_problem_concerns_the_versions_that_have_it(name: str, old: str, new: str, concerned: bool) -> None:
    assert PROBLEMS[name].concerns(required(old), required(new)) is concerned


def test_what_rules_refuse_is_not_told_twice() -> None:
    """compat.yaml holds what fails for sure; a row here for the same fault would be a second truth."""
    sources = {fault.source for fault in KNOWN.compat.incompatibilities.values()}
    twice = {one.source for one in PROBLEMS.values() if one.component == "kueue"} & sources
    assert not twice


def test_parts_stand_behind_those_that_they_need_and_hold_each_component_once_a_stack() -> None:
    seen: list[str] = []
    for part in STEPS.order.values():
        assert set(part.after) <= set(seen), part.name
        seen.append(part.name)
    for stack in ("operator", "manual"):
        held = [name for part in STEPS.order.values() if part.stack in ("", stack) for name in part.components]
        assert len(held) == len(set(held)), stack
        assert set(held) <= NAMES


def test_each_part_has_a_way_back_and_each_restart_a_fact_and_pools() -> None:
    assert set(STEPS.order) <= set(STEPS.rollback)
    assert {row.fact for row in STEPS.restarts.values()} <= set(effects.read())
    assert {row.part for row in STEPS.restarts.values()} <= set(STEPS.order)
    assert upgrade_effects.rows_without_selector() == ()
