"""Which mixes of MIG instances fit on one card: the oracles of the research and the cuts of real clusters."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from gpuplan import catalog
from gpuplan.catalog import MigClass, Placement
from gpuplan.catalog.geometry import (
    Misfit,
    Mix,
    Obstacle,
    Placed,
    feasible,
    fits,
    maximal,
    nearest,
    nearest_profile,
    place,
    why_not,
)

MIG = catalog.load().mig
A40, A30, GB200, RTX = (MIG[name] for name in ("A40c", "A30c", "B186c", "R96c"))
WHOLE_SIZES = ("1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb")


@pytest.mark.parametrize(
    ("class_name", "profiles", "mixes", "full"),
    [
        pytest.param("A40c", WHOLE_SIZES, 37, 12, id="seven slices"),
        pytest.param("A40c", (*WHOLE_SIZES, "1g.10gb"), 77, 28, id="with double memory"),
        pytest.param("A40c", (*WHOLE_SIZES, "1g.10gb", "1g.5gb+me"), 127, 44, id="with media engines"),
        pytest.param("A30c", ("1g.6gb", "2g.12gb", "4g.24gb"), 9, 4, id="four slices"),
        pytest.param("A30c", ("1g.6gb", "1g.6gb+me", "2g.12gb", "2g.12gb+me", "4g.24gb"), 19, 8, id="four with media"),
    ],
)
def test_a_class_has_this_many_mixes_and_maximal_mixes(
    class_name: str, profiles: tuple[str, ...], mixes: int, full: int
) -> None:
    assert len(feasible(MIG[class_name], profiles)) == mixes
    assert len(maximal(MIG[class_name], profiles)) == full


def test_the_maximal_mixes_of_a_seven_slice_card_are_the_twelve_of_the_vendor() -> None:
    found = {"+".join(f"{n}x{name[:2]}" for name, n in mix.items()) for mix in maximal(A40, WHOLE_SIZES)}
    assert found == {
        "7x1g",
        "5x1g+1x2g",
        "3x1g+2x2g",
        "1x1g+3x2g",
        "4x1g+1x3g",
        "2x1g+1x2g+1x3g",
        "2x2g+1x3g",
        "3x1g+1x4g",
        "1x1g+1x2g+1x4g",
        "1x3g+1x4g",
        "2x3g",
        "1x7g",
    }


@pytest.mark.parametrize(
    ("mix", "misfit"),
    [
        pytest.param(
            {"1g.10gb": 4, "1g.5gb": 3},
            Misfit(obstacle=Obstacle.MEMORY_SLICES, asked=11, limit=8),
            id="seven compute slices and too much memory",
        ),
        pytest.param(
            {"4g.20gb": 2}, Misfit(obstacle=Obstacle.TOO_MANY, profile="4g.20gb", asked=2, limit=1), id="2x4g"
        ),
        pytest.param(
            {"3g.20gb": 2, "1g.5gb": 1}, Misfit(obstacle=Obstacle.MEMORY_SLICES, asked=9, limit=8), id="3g+3g+1g"
        ),
        pytest.param(
            {"4g.20gb": 1, "2g.10gb": 2}, Misfit(obstacle=Obstacle.COMPUTE_SLICES, asked=8, limit=7), id="4g+2x2g"
        ),
        pytest.param(
            {"3g.20gb": 1, "2g.10gb": 1, "1g.5gb": 3},
            Misfit(obstacle=Obstacle.MEMORY_SLICES, asked=9, limit=8),
            id="3g+2g+3x1g",
        ),
        pytest.param(
            {"1g.5gb+me": 2}, Misfit(obstacle=Obstacle.TOO_MANY, profile="1g.5gb+me", asked=2, limit=1), id="2x+me"
        ),
        pytest.param(
            {"7g.40gb": 1, "1g.5gb": 1}, Misfit(obstacle=Obstacle.MEMORY_SLICES, asked=9, limit=8), id="7g and more"
        ),
        pytest.param(
            {"1g.10gb": 3, "2g.10gb": 1, "1g.5gb": 0, "7g.40gb": -1},
            Misfit(obstacle=Obstacle.COUNT, profile="7g.40gb", asked=-1),
            id="a negative count",
        ),
        pytest.param(
            {"1g.12gb": 1},
            Misfit(obstacle=Obstacle.UNKNOWN_PROFILE, profile="1g.12gb", asked=1, suggestion="1g.10gb"),
            id="another card's profile",
        ),
    ],
)
def test_an_impossible_mix_is_refused_with_its_reason(mix: Mix, misfit: Misfit) -> None:
    assert place(A40, mix) is None
    assert why_not(A40, mix) == misfit


def test_two_kinds_of_media_instances_still_share_one_set_of_engines() -> None:
    mix = {"1g.6gb+me": 1, "2g.12gb+me": 1}
    assert why_not(A30, mix) == Misfit(obstacle=Obstacle.MEDIA_ENGINES, asked=2, limit=1)


def test_an_instance_with_all_decoders_leaves_only_instances_without_any() -> None:
    assert fits(RTX, {"1g.24gb+me.all": 1, "1g.24gb-me": 3})
    found = why_not(RTX, {"1g.24gb+me.all": 1, "1g.24gb": 3})
    assert found == Misfit(obstacle=Obstacle.DECODERS, asked=7, limit=4)


def test_slices_that_add_up_may_still_find_no_place() -> None:
    middle = replace(A30.profiles["2g.12gb"], name="2g.13gb", placements=(Placement(1, 2),))
    odd = replace(A30, profiles={**A30.profiles, "2g.13gb": middle})
    assert fits(odd, {"2g.13gb": 1, "1g.6gb": 2})
    assert why_not(odd, {"2g.13gb": 1, "2g.12gb": 1}) == Misfit(obstacle=Obstacle.PLACEMENT)


@pytest.mark.parametrize("mig_class", MIG.values(), ids=lambda mig_class: mig_class.name)
def test_on_the_known_cards_counts_and_sums_never_leave_placement_as_the_only_reason(mig_class: MigClass) -> None:
    """The plain reasons explain every refusal, so a message never has to say that it just does not fit."""
    ranges = [range(profile.max_count + 2) for profile in mig_class.profiles.values()]
    if len(ranges) > 7:
        ranges = [range(min(r.stop, 3)) for r in ranges]
    for counts in itertools.product(*ranges):
        found = why_not(mig_class, dict(zip(mig_class.profiles, counts, strict=True)))
        assert found is None or found.obstacle is not Obstacle.PLACEMENT


@pytest.mark.parametrize(
    ("class_name", "mix"),
    [
        pytest.param("A80c", {"2g.20gb": 3, "1g.10gb": 1}, id="C35 card 0"),
        pytest.param("A80c", {"4g.40gb": 1, "3g.40gb": 1}, id="C35 card 1"),
        pytest.param("H94c", {"3g.47gb": 1, "2g.24gb": 1, "1g.12gb": 1}, id="C37 as meant"),
        pytest.param("H94c", {"1g.12gb": 5, "1g.24gb": 1}, id="C37 five plus one"),
        pytest.param("A40c", {"3g.20gb": 1, "4g.20gb": 1}, id="C49 cut A"),
        pytest.param("A80c", {"1g.10gb": 7}, id="C52 card 0"),
        pytest.param("A80c", {"1g.20gb": 4}, id="C52 card 1"),
        pytest.param("A80c", {"7g.80gb": 1}, id="C52 cards 2 to 7"),
        pytest.param("H94c", {"1g.12gb": 2, "2g.24gb": 1, "3g.47gb": 1}, id="C53 sizes add up to 95 of 94 GB"),
        pytest.param("B186c", {"1g.23gb": 7}, id="C88 as meant"),
        pytest.param("B186c", {"7g.189gb": 1}, id="C44 name of a sibling"),
        pytest.param("A40c", {}, id="nothing"),
        pytest.param("A40c", {"1g.5gb": 0}, id="none of a known profile"),
    ],
)
def test_a_cut_that_works_on_real_cards_fits(class_name: str, mix: Mix) -> None:
    assert fits(MIG[class_name], mix)
    assert why_not(MIG[class_name], mix) is None


@pytest.mark.parametrize(
    ("class_name", "mix", "obstacle", "fixed"),
    [
        pytest.param("A80c", {"7g.80gb": 2}, Obstacle.TOO_MANY, {"7g.80gb": 1}, id="C31 two whole cards"),
        pytest.param("A40c", {"1g.10gb": 7}, Obstacle.TOO_MANY, {"1g.10gb": 4}, id="C31 double memory on 40 GB"),
        pytest.param(
            "H94c",
            {"3g.40gb": 1, "2g.20gb": 1, "1g.10gb": 1},
            Obstacle.UNKNOWN_PROFILE,
            {"3g.47gb": 1, "2g.24gb": 1, "1g.12gb": 1},
            id="C37 names of the 80 GB card",
        ),
        pytest.param(
            "A40c",
            {"1g.10gb": 4, "1g.5gb": 3},
            Obstacle.MEMORY_SLICES,
            {"1g.10gb": 3, "1g.5gb": 2},
            id="C49 cut B",
        ),
        pytest.param("B186c", {"1g.24gb": 7}, Obstacle.UNKNOWN_PROFILE, {"1g.23gb": 7}, id="C88 old name"),
    ],
)
def test_a_cut_that_failed_on_real_cards_is_refused_and_repaired(
    class_name: str, mix: Mix, obstacle: Obstacle, fixed: Mix
) -> None:
    found = why_not(MIG[class_name], mix)
    assert found is not None
    assert found.obstacle is obstacle
    assert nearest(MIG[class_name], mix)[0] == fixed


def test_a_placement_is_sorted_by_start_so_that_4g_comes_before_3g() -> None:
    placed = (Placed(Placement(0, 4), "4g.20gb"), Placed(Placement(4, 4), "3g.20gb"))
    assert place(A40, {"3g.20gb": 1, "4g.20gb": 1}) == placed
    assert place(A40, {"4g.20gb": 1, "3g.20gb": 1}) == placed
    assert place(A40, {}) == ()


@pytest.mark.parametrize(
    ("mix", "suggestions"),
    [
        pytest.param(
            {"1g.10gb": 4, "1g.5gb": 3},
            ({"1g.10gb": 3, "1g.5gb": 2}, {"1g.10gb": 2, "1g.5gb": 4}, {"1g.10gb": 4}),
            id="fewest changes first",
        ),
        pytest.param(
            {"1g.10gb": 4, "2g.10gb": 2},
            ({"1g.10gb": 3, "2g.10gb": 1}, {"1g.10gb": 2, "2g.10gb": 2}, {"1g.10gb": 4}),
            id="of equal changes, mixes that keep every profile first",
        ),
        pytest.param(
            {"3g.20gb": 2, "1g.5gb": 1},
            ({"3g.20gb": 2}, {"3g.20gb": 1, "1g.5gb": 4}, {"1g.5gb": 7}),
            id="answers waste no slice",
        ),
        pytest.param({"1g.5gb+me": 2}, ({"1g.5gb": 1, "1g.5gb+me": 1},), id="surplus media becomes plain"),
        pytest.param({"1g.5gb": 3}, ({"1g.5gb": 3},), id="what fits stays as it is"),
        pytest.param({"1g.5gb": 3, "9z": 2}, ({"1g.5gb": 3},), id="what means nothing is left out"),
        pytest.param({"9z": 2}, (), id="nothing to go by"),
        pytest.param({"1g.5gb": -1}, (), id="no instance asked"),
    ],
)
def test_the_nearest_fitting_mixes_are_offered(mix: Mix, suggestions: tuple[Mix, ...]) -> None:
    assert nearest(A40, mix) == suggestions


@pytest.mark.parametrize(
    ("class_name", "wrong", "meant"),
    [
        ("B186c", "1g.24gb", "1g.23gb"),
        ("B186c", "7g.189gb", "7g.186gb"),
        ("A80c", "1g.5gb", "1g.10gb"),
        ("A80c", "1g.5gb+me", "1g.10gb+me"),
        ("H94c", "3g.40gb", "3g.47gb"),
        ("R96c", "1g.24gb+me", "1g.24gb+me"),
        ("A40c", "1g.24gb+gfx", None),
        ("A30c", "7g.40gb", None),
        ("A40c", "all", None),
        ("A40c", "", None),
    ],
)
def test_a_wrong_name_gives_the_profile_that_was_meant(class_name: str, wrong: str, meant: str | None) -> None:
    assert nearest_profile(MIG[class_name], wrong) == meant


@pytest.mark.parametrize(
    ("mig_class", "mix", "text"),
    [
        (A40, {"1g.10gb": 4, "1g.5gb": 3}, "needs 11 of 8 memory slices"),
        (A40, {"4g.20gb": 1, "2g.10gb": 2}, "needs 8 of 7 compute slices"),
        (A40, {"1g.10gb": 7}, "7 x 1g.10gb asked, at most 4 fit on a card"),
        (GB200, {"1g.24gb": 7}, "this card has no profile 1g.24gb"),
        (A30, {"1g.6gb+me": 1, "2g.12gb+me": 1}, "2 instances with media engines asked, a card has 1 set"),
    ],
)
def test_a_refusal_says_what_was_asked_and_what_there_is(mig_class: MigClass, mix: Mix, text: str) -> None:
    assert str(why_not(mig_class, mix)) == text
