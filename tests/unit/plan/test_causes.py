"""What in the spec led to something: found by the paths of a change, at, below or above them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.plan.parts import SpecChange
from gpuplan.plan.spec_changes import Causes

PATHS = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
AT = Span("fleet/a.yaml", 1, 1, 1, 1)


def _change(path: KeyPath) -> SpecChange:
    return SpecChange(path=path, old=1, new=2, at=AT, gone=False)


def _on_one_line(one: KeyPath, other: KeyPath) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@given(st.lists(PATHS, unique=True), st.lists(PATHS))
def test_causes_are_the_changes_at_below_or_above_a_path_in_their_order(
    changed: list[KeyPath], asked: list[KeyPath]
) -> None:
    found = Causes.of(map(_change, changed)).related(asked)
    assert [one.path for one in found] == [path for path in changed if any(_on_one_line(path, by) for by in asked)]
