"""Small edits of a spec, as people make them: a number changes, a switch is thrown, an entry goes or is copied."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Entry = dict[str, Any]
Path = tuple[str | int, ...]

COPIED = ("nodePools", "teams")
"""Sections of which an entry can stand twice under two names, as far as the rules allow."""


@st.composite
def mutated(draw: st.DrawFn, spec: Entry) -> Entry:
    """Return the spec with one to three edits; it may no longer be accepted."""
    made = copy.deepcopy(spec)
    for _ in range(draw(st.integers(1, 3))):
        edit(made, draw)
    return made


def edit(spec: Entry, draw: st.DrawFn) -> None:
    """Change the spec in one place."""
    if draw(st.integers(0, 4)) == 0:
        section = draw(st.sampled_from([name for name in COPIED if spec.get(name)]) if _has_some(spec) else st.none())
        if section is not None:
            name = draw(st.sampled_from(sorted(spec[section])))
            spec[section][f"{name}-2"] = copy.deepcopy(spec[section][name])
            return
    *above, last = draw(st.sampled_from([*_leaves(spec, ())]))
    parent: Any = spec
    for step in above:
        parent = parent[step]
    value = parent[last]
    if isinstance(value, bool):
        parent[last] = not value
    elif isinstance(value, int):
        parent[last] = draw(st.sampled_from((value + 1, max(value - 1, 0), value * 2)))
    elif len(above) > 1:
        del parent[last]


def _has_some(spec: Entry) -> bool:
    return any(spec.get(name) for name in COPIED)


def _leaves(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(value, list) and value:
        for index, below in enumerate(value):
            yield from _leaves(below, (*path, index))
    elif path:
        yield path
