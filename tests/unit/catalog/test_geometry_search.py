"""The placement search against a plain enumeration, on the known cards and on made-up ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan import catalog
from gpuplan.catalog import MigClass, MigProfile, Placement
from gpuplan.catalog.geometry import Mix, feasible, fits, maximal, nearest, place, why_not

MIG = catalog.load().mig
A40, A30 = MIG["A40c"], MIG["A30c"]


def brute_force(mig_class: MigClass, mix: Mix) -> bool:
    """Try every choice of places for every instance, on sets of slices; knows nothing of bits, order or cutting short."""
    wanted = [(mig_class.profiles[name], count) for name, count in mix.items()]
    if sum(count for profile, count in wanted if profile.attribute in ("me", "me.all")) > 1:
        return False
    if sum(count * profile.decoders for profile, count in wanted) > mig_class.decoders:
        return False
    if any(count > profile.max_count for profile, count in wanted):
        return False
    choices = (itertools.combinations(profile.placements, count) for profile, count in wanted)
    return any(disjoint(itertools.chain.from_iterable(choice)) for choice in itertools.product(*choices))


def disjoint(places: Iterable[Placement]) -> bool:
    """Tell whether no slice is taken twice."""
    slices = [number for place_ in places for number in range(place_.start, place_.start + place_.size)]
    return len(slices) == len(set(slices))


def all_mixes(mig_class: MigClass) -> Iterator[Mix]:
    """Yield every mix up to one above the most instances of each profile."""
    ranges = [range(profile.max_count + 2) for profile in mig_class.profiles.values()]
    for counts in itertools.product(*ranges):
        yield dict(zip(mig_class.profiles, counts, strict=True))


@st.composite
def mixes(draw: st.DrawFn, mig_class: MigClass) -> Mix:
    """Draw a mix near the border of what fits, profiles in any order."""
    names = draw(st.permutations(list(mig_class.profiles)))
    return {name: draw(st.integers(0, mig_class.profiles[name].max_count + 1)) for name in names}


@st.composite
def made_up_classes(draw: st.DrawFn) -> MigClass:
    """Draw a card of up to 8 memory slices with up to 4 profiles that may sit anywhere."""
    slices = draw(st.integers(1, 8))
    profiles = {}
    for number in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, slices))
        starts = draw(st.sets(st.integers(0, slices - size), min_size=1))
        profiles[f"p{number}"] = MigProfile(
            name=f"p{number}",
            compute_slices=size,
            placements=tuple(Placement(start, size) for start in sorted(starts)),
            max_count=draw(st.integers(1, 4)),
            decoders=draw(st.integers(0, 2)),
            attribute=draw(st.sampled_from(["", "me", "gfx"])),
            min_driver=None,
        )
    return replace(A40, memory_slices=slices, decoders=draw(st.integers(2, 4)), profiles=profiles, variants={})


def test_on_a_four_slice_card_the_search_finds_all_and_only_what_fits() -> None:
    for mix in all_mixes(A30):
        assert fits(A30, mix) is brute_force(A30, mix), mix


@given(mix=mixes(A40))
def test_on_a_seven_slice_card_the_search_agrees_with_trying_everything(mix: Mix) -> None:
    assert fits(A40, mix) is brute_force(A40, mix)


@settings(max_examples=200)
@given(data=st.data(), mig_class=made_up_classes())
def test_on_any_card_the_search_agrees_with_trying_everything(data: st.DataObject, mig_class: MigClass) -> None:
    mix = data.draw(mixes(mig_class))
    assert fits(mig_class, mix) is brute_force(mig_class, mix)
    assert (why_not(mig_class, mix) is None) is fits(mig_class, mix)


@given(mix=mixes(A40), order=st.randoms())
def test_the_order_in_which_profiles_are_written_changes_nothing(mix: Mix, order: object) -> None:
    names = list(mix)
    order.shuffle(names)  # type: ignore[attr-defined]  # hypothesis's Random is typed as the abstract one
    shuffled = {name: mix[name] for name in names}
    assert place(A40, shuffled) == place(A40, mix)
    assert nearest(A40, shuffled) == nearest(A40, mix)


@given(data=st.data(), mig_class=made_up_classes())
def test_a_placement_holds_exactly_what_was_asked_at_allowed_and_free_places(
    data: st.DataObject, mig_class: MigClass
) -> None:
    mix = data.draw(mixes(mig_class))
    placed = place(mig_class, mix)
    if placed is None:
        return
    assert sorted(p.profile for p in placed) == sorted(name for name, count in mix.items() for _ in range(count))
    assert all(p.placement in mig_class.profiles[p.profile].placements for p in placed)
    assert disjoint(p.placement for p in placed)
    assert list(placed) == sorted(placed)


@given(data=st.data(), mig_class=made_up_classes())
def test_the_list_of_feasible_mixes_is_what_fits_and_nothing_else(data: st.DataObject, mig_class: MigClass) -> None:
    mix = {name: count for name, count in data.draw(mixes(mig_class)).items() if count}
    found = feasible(mig_class, mig_class.profiles)
    assert (mix in found) is (bool(mix) and brute_force(mig_class, mix))
    assert len({tuple(sorted(known.items())) for known in found}) == len(found)


@given(mig_class=made_up_classes())
def test_nothing_can_be_added_to_a_maximal_mix(mig_class: MigClass) -> None:
    for mix in maximal(mig_class, mig_class.profiles):
        assert fits(mig_class, mix)
        for name in mig_class.profiles:
            assert not fits(mig_class, {**mix, name: mix.get(name, 0) + 1})


@given(mix=mixes(A40))
def test_every_suggestion_fits_and_holds_only_asked_profiles_or_their_plain_form(mix: Mix) -> None:
    asked = {name for name, count in mix.items() if count}
    plain = {name.partition("+")[0] for name in asked}
    suggestions = nearest(A40, mix)
    assert bool(suggestions) is bool(asked)
    for suggestion in suggestions:
        assert fits(A40, suggestion)
        assert set(suggestion) <= asked | plain
