"""MIG layouts that fit, found by placing one instance after the other."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gpuplan.catalog import MigClass
from gpuplan.catalog.geometry import fits

Layout = dict[str, Any]
"""What stands under `sharing.mig`."""
MIXED: st.SearchStrategy[Layout] = st.sampled_from(({}, {"strategy": "mixed"}))
"""The default strategy, left out or written."""


@st.composite
def mixes(draw: st.DrawFn, mig_class: MigClass) -> dict[str, int]:
    """Return instances of one card, at least one, each added while there was a place for it."""
    mix: dict[str, int] = {}
    for _ in range(draw(st.integers(1, mig_class.memory_slices))):
        fitting = [name for name in mig_class.profiles if fits(mig_class, {**mix, name: mix.get(name, 0) + 1})]
        if not fitting:
            break
        name = draw(st.sampled_from(fitting))
        mix[name] = mix.get(name, 0) + 1
    return mix


@st.composite
def cuts_into_one(draw: st.DrawFn, mig_class: MigClass) -> dict[str, int]:
    """Return one profile and a number of instances that fit."""
    profile = draw(st.sampled_from(sorted(mig_class.profiles)))
    most = max(count for count in range(1, 8) if fits(mig_class, {profile: count}))
    return {profile: draw(st.integers(1, most))}


@st.composite
def layouts(draw: st.DrawFn, mig_class: MigClass, cards: int) -> Layout:
    """Return a layout for nodes of `cards` cards: one cut for all, or groups; strategy mixed or single."""
    if draw(st.booleans()):
        cut = cuts_into_one(mig_class)
        return {"strategy": "single", "profiles": draw(cut)}
    if cards == 1 or draw(st.booleans()):
        return {**draw(MIXED), "profiles": draw(mixes(mig_class))}
    return {**draw(MIXED), "groups": draw(_groups(mig_class, cards))}


@st.composite
def _groups(draw: st.DrawFn, mig_class: MigClass, cards: int) -> list[Layout]:
    """Share out the cards of a node over groups; some may stay whole, named or not."""
    order = draw(st.permutations(list(range(cards))))
    first = draw(st.integers(1, cards))
    groups: list[Layout] = [{"cards": sorted(order[:first]), "profiles": draw(mixes(mig_class))}]
    rest: Layout = {"cards": sorted(order[first:])}
    if rest["cards"] and draw(st.booleans()):
        groups.append(rest | draw(st.just({}) | st.builds(lambda mix: {"profiles": mix}, mixes(mig_class))))
    return groups
