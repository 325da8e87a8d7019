"""What a queue could hold at most, over a tree that is read from files, is what fits card by card."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.inventory.scheduling.rights import rights
from tests.unit.inventory.held import held, queue

ITEM = ("f", "nvidia.com/gpu")
NANO = 10**9


def cohort(name: str, parent: str = "", nominal: int | None = None) -> str:
    """Return a Cohort, with a quota of its own or without."""
    numbers = f"{{name: nvidia.com/gpu, nominalQuota: {nominal}}}"
    groups = f"[{{coveredResources: [nvidia.com/gpu], flavors: [{{name: f, resources: [{numbers}]}}]}}]"
    above = f"parentName: {parent}" if parent else "parentName: ''"
    own = "" if nominal is None else f", resourceGroups: {groups}"
    return (
        f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {{name: {name}}}\nspec: {{{above}{own}}}\n"
    )


def potential(text: str, name: str = "a") -> float:
    """Return the most that one workload of a queue could hold, in cards."""
    return rights(held(text)).potential(name, ITEM) / NANO


TREES = {
    "alone, its own": (queue("a", "8"), 8),
    "alone, whatever it might borrow": (queue("a", "8 borrow 4"), 8),
    "what others do not keep back": (queue("a", "8", "c") + queue("b", "4 lend 1", "c"), 9),
    "no more than its limit": (queue("a", "8 borrow 2", "c") + queue("b", "4", "c"), 10),
    "what a cohort owns": (queue("a", "0", "c") + cohort("c", nominal=16), 16),
    "what is two levels up": (queue("a", "1", "c") + cohort("c", "top", 2) + queue("b", "4", "top"), 7),
    "nothing of a flavor that it does not have": (queue("b", "4"), 0),
}


@pytest.mark.parametrize(("text", "cards"), TREES.values(), ids=TREES)
def test_a_workload_could_hold(text: str, cards: int) -> None:
    assert potential(text) == cards


def test_a_circle_of_cohorts_ends() -> None:
    assert potential(queue("a", "8", "x") + cohort("x", "y", 1) + cohort("y", "x", 2)) > 0


def test_a_queue_and_a_cohort_may_share_a_name() -> None:
    assert potential(queue("a", "8", "a") + queue("b", "2", "a")) == 10


@given(
    own=st.integers(0, 50),
    borrow=st.none() | st.integers(0, 50),
    others=st.lists(st.tuples(st.integers(0, 50), st.none() | st.integers(0, 50)), max_size=4),
    pool=st.integers(0, 50),
)
def test_it_is_what_fits_card_by_card(
    own: int, borrow: int | None, others: list[tuple[int, int | None]], pool: int
) -> None:
    limits: dict[str, tuple[int, int | None, int | None]] = {"a": (own, borrow, None)}
    text = queue("a", f"{own}" + ("" if borrow is None else f" borrow {borrow}"), "c") + cohort("c", nominal=pool)
    for index, (nominal, lend) in enumerate(others):
        lent = None if lend is None else min(lend, nominal)
        text += queue(f"q{index}", f"{nominal}" + ("" if lent is None else f" lend {lent}"), "c")
        limits[f"q{index}"] = (nominal, None, lent)
    assert potential(text) == most_by_trying(limits, pool)


def most_by_trying(limits: dict[str, tuple[int, int | None, int | None]], pool: int) -> int:
    """Return the largest request of queue `a` that fits, card by card: its own, and then what the others show and own jointly."""
    own, borrow, _ = limits["a"]
    lent = [nominal if lend is None else lend for name, (nominal, _, lend) in limits.items() if name != "a"]
    shared = sum(lent) + pool
    taken = 0
    while taken < own or (taken - own < shared and (borrow is None or taken - own < borrow)):
        taken += 1
    return taken
