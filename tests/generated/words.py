"""Names and free texts: short and plain first, so that examples shrink to them, then as awkward as the spec allows."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

CLUSTERS = ("eu", "us", "lab")
TIERS = ("train", "serve", "slices", "desk")
POOLS = ("a", "b", "c", "d", "on", "1e3", "null", "0x1f", *(f"p{number}" for number in range(24)))
TASK_POOLS = ("pretrain", "chat", "nightly", "notebooks", "scratch", "y")
TEAMS = ("nlp", "vision", "search", "true", "12")

AWKWARD = (
    "on",
    "1e3",
    "0o17",
    "12:30:45",
    "~",
    "größe 🎉",
    "日本語",
    'a "quote" and a back\\slash',
    "it's",
    " spaces ",
    "a: b # c",
    "{{ .Values.x }}",
    "$(HOME) ${HOME}",
    "two\nlines",
    "tab\there",
    "- a",
    "%s|>@`",
)
"""Texts that a reader, a writer, CEL or a template may take for something else."""

SELDOM = st.sampled_from((False, False, True))
"""Whether to do what most fleets do not."""


def texts() -> st.SearchStrategy[str]:
    """Free text: a plain word, an awkward one, or anything printable."""
    anything = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
    return st.just("engineers") | st.sampled_from(AWKWARD) | anything


def slugs() -> st.SearchStrategy[str]:
    """What may stand in a path of an address."""
    return st.text("abcxyz019-_.~", min_size=1, max_size=8).filter(lambda slug: set(slug) != {"."})


@st.composite
def names(draw: st.DrawFn, words: Sequence[str], count: int, longest: int) -> list[str]:
    """Return different names of at most `longest` characters.

    Each starts with a word of its own, up to its end or a dash. So no two names that are joined by a dash to others can
    become equal: `a` + `b-c` and `a-b` + `c`.
    """
    chosen = draw(st.permutations(words))[:count]
    return [draw(decorated(word, longest)) for word in chosen]


@st.composite
def decorated(draw: st.DrawFn, word: str, longest: int) -> str:
    """Return a word, most often as it is, else numbered or filled up to the longest name that is allowed."""
    match draw(st.sampled_from(("plain", "plain", "plain", "numbered", "longest"))):
        case "numbered":
            return f"{word}-{draw(st.integers(0, 99))}"[:longest]
        case "longest":
            return f"{word}-".ljust(longest, "x")
        case _:
            return word
