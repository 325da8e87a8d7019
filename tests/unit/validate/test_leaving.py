"""What runs on although the spec no longer names it."""

from __future__ import annotations

import pytest

from gpuplan.emit.emitters import emit
from gpuplan.pipeline import silent, transitions
from tests.unit.emit.fleets import Place, place

TWO = "a: {}, b: {tier: big}"


def found(before: Place, after: Place) -> list[str]:
    old = {path: made.object for path, made in emit(before.fleet, silent).placed.items()}
    told = transitions(after.fleet, emit(after.fleet, silent), old.get)
    return [finding.summary for finding in told if finding.rule == "render/operator-stays"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("stack: operator", "stack: manual", True),
        ("stack: operator", "stack: external", True),
        ("stack: operator, gpuOperator: external", "stack: manual, gpuOperator: external", True),
        (
            "stack: operator, destination: {server: 'https://eu'}",
            "stack: manual, destination: {server: 'https://eu'}",
            True,
        ),
        ("stack: manual", "stack: operator", False),
        ("stack: manual", "stack: manual", False),
        ("stack: operator", "stack: operator", False),
    ],
)
def test_an_operator_whose_last_pool_leaves_is_told_of(before: str, after: str, told: bool) -> None:
    assert bool(found(place(TWO, before), place(TWO, after))) is told


def test_while_one_pool_stays_the_operator_is_wanted() -> None:
    assert found(place(TWO, "stack: operator"), place("a: {stack: manual}, b: {tier: big}", "stack: operator")) == []


def test_a_tree_that_is_not_there_yet_has_nothing_to_leave_behind() -> None:
    after = place(TWO, "stack: manual")
    assert not [
        one for one in transitions(after.fleet, emit(after.fleet, silent), lambda _path: None) if "stays" in one.rule
    ]
