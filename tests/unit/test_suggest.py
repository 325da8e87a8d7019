"""The name that was probably meant."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.suggest import candidates, meant, misspelt, nearest, slips

SECTIONS = ["clusters", "cardTiers", "nodePools", "taskPools", "teams", "monitoring", "governance", "defaults"]
CARDS = ["a100-sxm-40gb", "a100-sxm-80gb", "h100-nvl", "h100-sxm-80gb", "h200-141gb", "l4", "l40s"]


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("h10O", ["a100", "h100", "l40s"], "h100"),
        ("l4Os", CARDS, "l40s"),
        ("I40s", CARDS, "l40s"),
        ("nodepools", SECTIONS, "nodePools"),
        ("node_pools", SECTIONS, "nodePools"),
        ("NodePool", SECTIONS, "nodePools"),
        ("team", SECTIONS, "teams"),
        ("tiers", SECTIONS, "cardTiers"),
        ("pools", SECTIONS, None),  # nodePools or taskPools: to name one would be to guess
        ("taksPools", SECTIONS, "taskPools"),
        ("monitorng", SECTIONS, "monitoring"),
        ("goverance", SECTIONS, "governance"),
        ("h100", CARDS, "h100-nvl"),
        ("h100-sxm-80gbb", CARDS, "h100-sxm-80gb"),
        ("a100-smx-80gb", CARDS, "a100-sxm-80gb"),
        ("trian", ["train", "serve"], "train"),
        ("lab", ["train", "serve"], None),
        ("x", ["y", "z"], None),
        ("ab", ["cd"], None),
        ("", SECTIONS, None),
        (" ", SECTIONS, None),
        ("-", ["_", "."], None),
        ("teams", ["teams"], None),
        ("quota", [], None),
        ("metadata", SECTIONS, None),
    ],
)
def test_the_nearest_name_is_the_one_a_person_would_pick(word: str, known: list[str], expected: str | None) -> None:
    assert nearest(word, known) == expected


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("h100", CARDS, ("h100-nvl", "h100-sxm-80gb")),
        ("h100-sxm", CARDS, ("h100-sxm-80gb",)),
        ("H100_NVL", CARDS, ("h100-nvl",)),
        ("l4Os", CARDS, ("l40s",)),
        ("nonsense", CARDS, ()),
        ("mig", [f"mig/{n}" for n in "abcdef"], ("mig/a",)),  # too many to list
    ],
)
def test_names_that_all_begin_with_the_word_are_offered_together(
    word: str, known: list[str], expected: tuple[str, ...]
) -> None:
    assert candidates(word, known) == expected


def test_a_question_names_all_that_may_be_meant() -> None:
    assert meant("h100", CARDS, "None.") == "Did you mean 'h100-nvl' or 'h100-sxm-80gb'?"
    assert meant("nonsense", CARDS, "None.") == "None."


@pytest.mark.parametrize(
    ("a", "b", "expected"), [("", "", 0), ("", "ab", 2), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abc", "abc", 0)]
)
def test_slips_are_counted(a: str, b: str, expected: int) -> None:
    assert slips(a, b) == slips(b, a) == expected


words = st.text("abcxyzO0lI1-_.", max_size=10)


@settings(deadline=None)
@given(words, st.lists(words, max_size=6))
def test_a_suggestion_is_known_and_never_far_off(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    if found is None:
        return
    assert found in known
    assert found != word
    a, b = (text.casefold().translate(str.maketrans("", "", "-_. /")) for text in (word, found))
    part = len(a) >= 3 and (a in b or b in a)
    alike = a.translate(str.maketrans("oil", "011")) == b.translate(str.maketrans("oil", "011"))
    assert part or alike or slips(a, b) * 3 <= len(a)


@settings(deadline=None)
@given(words, st.lists(words, max_size=6), st.randoms())
def test_a_suggestion_does_not_depend_on_the_order_of_the_names(word: str, known: list[str], random: Random) -> None:
    shuffled = list(known)
    random.shuffle(shuffled)
    assert nearest(word, shuffled) == nearest(word, known)


@pytest.mark.parametrize(("word", "meant"), [("ubuntu-24.04", "ubuntu24.04"), ("cos", None), ("debian12", None)])
def test_a_word_that_stands_for_itself_is_no_slip(word: str, meant: str | None) -> None:
    assert misspelt(word, ["rhcos", "ubuntu22.04", "ubuntu24.04"]) == meant
