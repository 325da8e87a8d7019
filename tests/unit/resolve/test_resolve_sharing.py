"""What a card of another vendor becomes: names as its plugin says them, and never more than a card."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.catalog import load
from gpuplan.model.pools import NodePool, produced_resources
from tests.unit.emit.fleets import place

CUTS = load().cuts
MODES = [
    (card, compute, memory)
    for card, known in CUTS.partitions.items()
    for compute in known.devices
    for memory in known.memory[compute]
]


def pool(card: str, sharing: str, cards: int = 8) -> NodePool:
    more = f"---\ncardTiers: {{other: {{cards: [{card}]}}}}"
    return place(f"a: {{tier: other, cardsPerNode: {cards}, stack: external, sharing: {{{sharing}}}}}", more=more).pool


@pytest.mark.parametrize(("card", "compute", "memory"), MODES)
def test_partitions_are_devices_of_equal_parts_that_make_up_the_card(card: str, compute: str, memory: str) -> None:
    for naming, resource in (("single", "amd.com/gpu"), ("mixed", f"amd.com/{compute}_{memory}".lower())):
        made = pool(card, f"partition: {{compute: {compute}, memory: {memory}, resourceNaming: {naming}}}")
        (produced,) = produced_resources(made)
        assert produced.resource == resource
        assert produced.per_node * produced.unit.card_share == 8
        assert produced.unit.hidden == (naming == "single" and compute == "CPX")


@st.composite
def cuts(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """Draw a card and virtual NPUs that it has AI cores for."""
    card = draw(st.sampled_from(sorted(CUTS.vnpus)))
    known = CUTS.vnpus[card]
    free, cut = known.cores, {}
    for name in draw(st.lists(st.sampled_from(sorted(known.templates)), min_size=1, unique=True)):
        most = free // known.templates[name].cores
        if most:
            cut[name] = draw(st.integers(1, most))
            free -= cut[name] * known.templates[name].cores
    return card, cut


@settings(max_examples=60, deadline=None)
@given(cuts(), st.integers(1, 16))
def test_virtual_npus_are_resources_of_their_own_and_never_more_than_the_card(
    drawn: tuple[str, dict[str, int]], cards: int
) -> None:
    card, cut = drawn
    templates = ", ".join(f"{name}: {count}" for name, count in cut.items())
    made = pool(card, f"vnpu: {{templates: {{{templates}}}}}", cards)
    produced = produced_resources(made)
    assert sum(one.per_node for one in produced) == cards * sum(cut.values())
    assert sum((one.per_node * one.unit.card_share for one in produced), Fraction()) <= cards
    assert all(one.resource.startswith(f"{made.card.resource}-") for one in produced)
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", made.sharing.label)
