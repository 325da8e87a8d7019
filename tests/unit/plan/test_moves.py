"""Which entries of two states are one under two names, by the renames that the new spec states."""

from __future__ import annotations

import pytest

from gpuplan.plan.moves import unmatched
from tests.unit.plan.two import comparison

BEFORE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  NAME: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}
"""


def spec(name: str, *renames: tuple[str, str]) -> str:
    lines = "".join(f"- {{from: nodePools.{old}, to: nodePools.{new}}}\n" for old, new in renames)
    return BEFORE.replace("NAME", name) + (f"moved:\n{lines}" if lines else "")


FIRST_TO_THIRD = (("first", "second"), ("second", "third"))


@pytest.mark.parametrize(
    ("old", "renames", "paired"),
    [
        ("first", [("first", "third")], {"first": "third"}),
        ("first", FIRST_TO_THIRD, {"first": "third"}),
        ("first", FIRST_TO_THIRD[::-1], {"first": "third"}),
        ("second", FIRST_TO_THIRD, {"second": "third"}),
        ("third", FIRST_TO_THIRD, {}),
        ("other", FIRST_TO_THIRD, {}),
    ],
    ids=["once", "twice", "in any order of lines", "since the first", "before all of it", "of something else"],
)
def test_an_entry_is_followed_from_rename_to_rename(
    old: str, renames: list[tuple[str, str]], paired: dict[str, str]
) -> None:
    assert comparison(spec(old), spec("third", *renames)).moves.names.get("nodePools", {}) == paired


@pytest.mark.parametrize(
    ("old", "renames", "told"),
    [
        ("first", [("first", "third")], []),
        ("first", FIRST_TO_THIRD, []),
        ("second", FIRST_TO_THIRD, []),
        ("third", FIRST_TO_THIRD, []),
        ("first", [("fist", "third")], ["fist"]),
        ("other", FIRST_TO_THIRD, ["first", "second"]),
    ],
)
def test_a_rename_of_what_never_was_is_told(old: str, renames: list[tuple[str, str]], told: list[str]) -> None:
    compared = comparison(spec(old), spec("third", *renames))
    assert [move.old for move in unmatched(compared.old, compared.new, compared.moves)] == told


def test_renames_in_a_circle_pair_nothing_and_end() -> None:
    assert not comparison(spec("first"), spec("third", ("a", "b"), ("b", "a"))).moves.names
