"""Properties of comparison over edits of real objects, and over objects of which nothing is known."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.compare import Item, apply, compare, path_text
from gpuplan.compare.form import form
from gpuplan.compare.shape import shape_of
from gpuplan.source.objects import read_object

ROOT = Path(__file__).parents[3] / "rendered"


def _examples() -> list[dict[str, Any]]:
    """Return the smallest and the largest object of each kind of the example, without the longest."""
    by_kind: dict[str, list[Path]] = {}
    for path in sorted(ROOT.rglob("*.yaml")):
        by_kind.setdefault(path.name.partition("-")[0], []).append(path)
    chosen = [sorted(paths, key=lambda path: path.stat().st_size) for paths in by_kind.values()]
    files = {path for paths in chosen for path in (paths[0], paths[-1]) if path.stat().st_size < 20_000}
    return [found for path in sorted(files) if (found := read_object(path)) is not None]


EXAMPLES = _examples()
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, "", "a", "1", "12000m", "12", "96Gi", "98304Mi", "$(A)", "None", "TCP"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "key", "value", "alert", "record", "a"]), inner, max_size=3),
    ),
    max_leaves=5,
)


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """Return a value with one edit somewhere inside."""
    if isinstance(value, dict) and value:
        made = dict(value)
        key = draw(st.sampled_from(sorted(made)))
        match draw(st.sampled_from(["in", "in", "in", "in", "out", "new"])):
            case "out":
                del made[key]
            case "new":
                made[draw(st.sampled_from(["a", "b.c", "name"]))] = draw(VALUES)
            case _:
                made[key] = draw(edited(made[key]))
        return made
    if isinstance(value, list) and value:
        items = list(value)
        place = draw(st.integers(0, len(items) - 1))
        match draw(st.sampled_from(["in", "in", "in", "out", "twice", "new", "order"])):
            case "out":
                del items[place]
            case "twice":
                items.insert(draw(st.integers(0, len(items))), copy.deepcopy(items[place]))
            case "new":
                items.insert(place, draw(VALUES))
            case "order":
                items = draw(st.permutations(items))
            case _:
                items[place] = draw(edited(items[place]))
        return items
    return draw(VALUES)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two objects that came from one by edits."""
    start = draw(st.sampled_from(EXAMPLES))
    sides = []
    for most in (2, 4):
        side: Any = start
        for _ in range(draw(st.integers(0, most))):
            side = draw(edited(side))
        sides.append(side if isinstance(side, dict) else start)
    return sides[0], sides[1]


@settings(max_examples=400, deadline=None)
@given(pairs())
def test_changes_lead_from_one_object_to_the_other_and_mirror(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    old, new = pair
    changes = compare(old, new)
    assert compare(apply(old, changes), new) == ()
    assert compare(new, old) == tuple(change.mirrored for change in changes)
    shape = shape_of(old, new)
    assert (changes == ()) == (form(old, shape) == form(new, shape))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(EXAMPLES))
def test_an_object_does_not_differ_from_itself(one: dict[str, Any]) -> None:
    assert compare(one, copy.deepcopy(one)) == ()


EXACT = st.recursive(
    st.one_of(st.integers(0, 3), st.sampled_from(["a", "b", "$(A)"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["name", "key", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), EXACT), st.dictionaries(st.sampled_from("abc"), EXACT))
def test_where_nothing_needs_another_form_the_result_is_the_other_object(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert apply(old, compare(old, new)) == new


WORDS = st.text(st.sampled_from('a1.]",='), max_size=3)
LABELS = st.one_of(st.integers(0, 1), WORDS)
KEYS = st.lists(st.tuples(st.one_of(st.just("name"), WORDS.filter(bool)), LABELS), min_size=1, max_size=2)
PATHS = st.lists(st.one_of(st.integers(0, 1), WORDS, KEYS.map(lambda keys: Item(tuple(keys)))), max_size=2).map(tuple)


@settings(max_examples=1500, deadline=None)
@given(PATHS, PATHS)
def test_two_paths_never_read_the_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert (path_text(one) == path_text(other)) == (one == other)
