"""One mistake in a sound spec: a key dropped or misspelt, a wrong type, a number too large, an entry twice, two swapped."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from tests.generated.text import HEAD, written

Entry = dict[str, Any]
Place = tuple[Any, Any]
"""A mapping or list of the spec, and a key or index in it."""

STRANGE: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "x" * 300, [], {}, [[]], {"a": 1}, 2**63, "größe\n🎉")


class Again(str):
    """A key that is written as another and is not equal to it, so that a mapping can hold both."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@st.composite
def broken(draw: st.DrawFn, spec: Entry) -> str:
    """Return the text of the spec with one mutation, in one document or one line."""
    whole = copy.deepcopy({**HEAD, **spec})
    mutate = draw(st.sampled_from(MUTATIONS))
    mutate(draw, whole, draw(st.sampled_from(list(_places(whole)))))
    return draw(written(whole))


def _places(value: Any) -> Iterator[Place]:
    """Yield every place below a value, the outermost first."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    yield from ((value, key) for key in keys)
    for key in keys:
        yield from _places(value[key])


def _drop(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    del place[0][place[1]]


def _misread(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    place[0][place[1]] = draw(st.sampled_from(STRANGE))


def _misspell(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    """Leave out, double or add a character of a key or of a text."""
    into, key = place
    word = into[key] if isinstance(into[key], str) else key
    if not isinstance(word, str):
        return _misread(draw, whole, place)
    at = draw(st.integers(0, len(word)))
    wrong = word[:at] + draw(st.sampled_from(("", "x", "-", "X", word[at : at + 1] * 2))) + word[at + 1 :]
    if word is key:
        into[wrong] = into.pop(key)
    else:
        into[key] = wrong
    return None


def _enlarge(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    """Multiply a number by ten; any number of the spec, since most places hold none."""
    numbers = [(into, key) for into, key in _places(whole) if type(into[key]) is int]
    into, key = draw(st.sampled_from(numbers))
    into[key] *= 10


def _double(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    into, key = place
    if isinstance(into, list):
        into.append(into[key])
    else:
        into[Again(key)] = into[key]


def _swap(draw: st.DrawFn, whole: Entry, place: Place) -> None:
    """Exchange two values of one mapping or list."""
    into, key = place
    other = draw(st.sampled_from(list(into) if isinstance(into, dict) else range(len(into))))
    into[key], into[other] = into[other], into[key]


MUTATIONS: tuple[Callable[[st.DrawFn, Entry, Place], None], ...] = (
    _drop,
    _misread,
    _misspell,
    _enlarge,
    _double,
    _swap,
)
