"""`operatorStandby`: nodes that the GPU Operator is kept off before it comes, and an operator that is there without a pool."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.diagnostics import Severity
from tests.unit.moving.test_stack import FLEET
from tests.unit.moving.ways import FILE, check, loaded, rendered


def standing_by(standby: str, text: str = FLEET) -> str:
    return text.replace("stack: manual}", f"stack: manual, operatorStandby: {standby}}}")


def node_labels(text: str) -> list[str | None]:
    rules: list[Any] = [made.object for made in rendered(text) if made.key.kind == "NodeFeatureRule"]
    return [one["spec"]["rules"][0]["labels"].get(conventions.LABEL_OPERANDS) for one in rules]


def installation(text: str) -> list[Any]:
    name = conventions.gpu_operator_application_name("main")
    return [made.object for made in rendered(text) if (made.key.kind, made.key.name) == ("Application", name)]


@pytest.mark.parametrize(
    ("text", "label", "installed"),
    [(FLEET, None, False), (standing_by("labels"), "false", False), (standing_by("installed"), "false", True)],
)
def test_nodes_are_labelled_from_the_first_word_on_and_the_operator_comes_with_the_second(
    text: str, label: str | None, *, installed: bool
) -> None:
    assert set(node_labels(text)) == {label}
    assert bool(installation(text)) is installed


def test_an_operator_without_a_pool_runs_no_device_plugin_and_no_driver() -> None:
    (made,) = installation(standing_by("installed"))
    values = made["spec"]["source"]["helm"]["valuesObject"]
    assert not values["devicePlugin"]["enabled"]
    assert not values["driver"]["enabled"]
    assert not values["migManager"]["enabled"]


def test_a_pool_that_nothing_keeps_it_off_is_found_with_the_word_that_brings_it() -> None:
    text = standing_by(
        "installed",
        FLEET.replace("cardsPerNode: 8, selectedBy: {nfd: {}}}", "cardsPerNode: 8, selectedBy: {labels: {pool: lab}}}"),
    )
    (found,) = [one for one in check({FILE: text}).findings if one.severity is Severity.ERROR]
    assert found.rule == "operator/beside-other-agents"
    assert found.also[0].at == loaded(text).places.key(("clusters", "main", "operatorStandby"))
    assert not [
        one
        for one in check({FILE: text.replace("Standby: installed", "Standby: labels")}).findings
        if one.severity is Severity.ERROR
    ]
