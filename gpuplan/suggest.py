"""The name that was probably meant, for messages such as `unknown tier "h10O", did you mean "h100"?`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_LOOK_ALIKE: Final = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1"})
_SEPARATORS: Final = re.compile(r"[-_. /]+")
_MAX_CANDIDATES: Final = 5
"""Names that a message may offer at once."""
_MIN_PART: Final = 3
"""Characters that a word needs before it may stand for a longer name it begins, or is a part of."""

_MOST_COMPARED: Final = 2000
"""Names that a word is compared with letter by letter; among more of them the nearest is hardly the one that was meant."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a word, or None when none is near.

    In this order: the same but for case, separators and signs that look alike; the shortest name that begins with the
    word, or that it begins with; the one name that has the word as a part; the fewest slips of the finger, at most one
    for every three characters. Ties go to the name that comes first in the alphabet.

    >>> nearest("h10O", ["a100", "h100", "l40s"])
    'h100'
    >>> nearest("nodepool", ["nodePools", "taskPools"])
    'nodePools'
    >>> nearest("kitten", ["sitting", "pool"]) is None
    True
    """
    names = sorted(set(known) - {word})
    if not _bare(word):
        return None
    return _same_to_the_eye(word, names) or _longer_or_shorter(word, names) or _mistyped(word, names)


@lru_cache(1 << 16)
def _bare(word: str) -> str:
    return _SEPARATORS.sub("", word.casefold())


def _same_to_the_eye(word: str, names: list[str]) -> str | None:
    bare = _bare(word)
    same = [name for name in names if _bare(name) == bare]
    alike = same or [name for name in names if _bare(name).translate(_LOOK_ALIKE) == bare.translate(_LOOK_ALIKE)]
    return alike[0] if alike else None


def _longer_or_shorter(word: str, names: list[str]) -> str | None:
    bare = _bare(word)
    if len(bare) < _MIN_PART:
        return None
    longer = [name for name in names if _bare(name).startswith(bare)]
    if longer:
        return min(longer, key=len)
    shorter = [name for name in names if len(_bare(name)) * 2 >= len(bare) and bare.startswith(_bare(name))]
    if shorter:
        return max(shorter, key=len)
    holding = [name for name in names if bare in _bare(name)]
    return holding[0] if len(holding) == 1 else None


def _mistyped(word: str, names: list[str]) -> str | None:
    if len(names) > _MOST_COMPARED:
        return None
    bare = _bare(word)
    best, fewest = None, len(bare)
    for name in names:
        other = _bare(name)
        allowed = min(fewest - 1, min(len(bare), len(other)) // 3)
        if abs(len(other) - len(bare)) <= allowed and (distance := slips(bare, other, allowed)) <= allowed:
            best, fewest = name, distance
            if fewest == 1:  # nothing is nearer than a word that is not the same
                break
    return best


def slips(a: str, b: str, most: int | None = None) -> int:
    """Return how many letters were put in, left out, changed or swapped with their neighbour to get from a to b.

    Of more than `most` it need only be known that they are more: among thousands of names hardly any is counted to its end.
    """
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if most is not None and min(row) > most and min(last) > most:
            return min(row)
        before, last = last, row
    return last[-1]


def candidates(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known names that a word may stand for: the nearest, or the few that all begin with it.

    To name one of several would be to guess: `h100` is a part of the name of three cards.

    >>> candidates("h100", ["h100-pcie", "h100-sxm", "h200"])
    ('h100-pcie', 'h100-sxm')
    """
    names = sorted(set(known) - {word})
    bare = _bare(word)
    longer = tuple(name for name in names if len(bare) >= _MIN_PART and _bare(name).startswith(bare))
    guess = nearest(word, names)
    several = guess in longer and _bare(longer[0]) != bare and len(longer) <= _MAX_CANDIDATES
    return longer if several else (guess,) if guess else ()


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the question whether a known name was meant, or what to say where nothing is near."""
    quoted = [repr(name) for name in candidates(word, known)]
    return f"Did you mean {' or '.join(quoted)}?" if quoted else otherwise


def misspelt(word: str, known: Iterable[str]) -> str | None:
    """Return the one that was misspelt, None where the word rather stands for itself: `cos` is no slip of `rhcos`."""
    guess = nearest(word, known)
    return guess if guess and slips(word, guess) * 3 <= len(word) else None
