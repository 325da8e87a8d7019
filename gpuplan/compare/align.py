"""Which items of two lists belong together, where only their places tell: the same answer read from either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gpuplan.compare.form import Form

MOST_CELLS: Final = 250_000
"""Beyond this size of its table a pair of lists is compared place by place."""

Pair = tuple[int | None, int | None]
"""Places of items that belong together; None where a side has no such item."""


OldFirst = Callable[[int, int], bool]
"""Whether the old item at a place goes before the new one at another; asked of different items only."""


def aligned(old: Sequence[Form], new: Sequence[Form], old_first: OldFirst) -> Iterator[Pair]:
    """Yield pairs of places in order: equal items along a longest common subsequence, and between those in turn.

    `old_first` decides where two ways are equally long, so that both directions take the same one.
    """
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    yield from ((place, place) for place in range(head))
    before = (head, head)
    for left, right in _anchors(old[: len(old) - tail], new[: len(new) - tail], head, old_first):
        yield from _between(before, (left, right))
        yield left, right
        before = (left + 1, right + 1)
    yield from _between(before, (len(old) - tail, len(new) - tail))
    yield from ((len(old) - tail + step, len(new) - tail + step) for step in range(tail))


def _common(old: Sequence[Form], new: Sequence[Form]) -> int:
    return next(
        (at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right), min(len(old), len(new))
    )


def _between(start: tuple[int, int], end: tuple[int, int]) -> Iterator[Pair]:
    """Yield what lies between two anchors: changed items first, then what one side has more."""
    both = min(end[0] - start[0], end[1] - start[1])
    yield from ((start[0] + step, start[1] + step) for step in range(both))
    yield from ((place, None) for place in range(start[0] + both, end[0]))
    yield from ((None, place) for place in range(start[1] + both, end[1]))


def _anchors(old: Sequence[Form], new: Sequence[Form], start: int, old_first: OldFirst) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence of what begins at `start`."""
    if (len(old) - start) * (len(new) - start) > MOST_CELLS:
        return []
    best = _lengths(old, new, start)
    found: list[tuple[int, int]] = []
    left = right = start
    while left < len(old) and right < len(new):
        if old[left] == new[right]:
            found.append((left, right))
            left, right = left + 1, right + 1
            continue
        without_left, without_right = best[left + 1][right], best[left][right + 1]
        if without_left > without_right or (without_left == without_right and old_first(left, right)):
            left += 1
        else:
            right += 1
    return found


def _lengths(old: Sequence[Form], new: Sequence[Form], start: int) -> list[list[int]]:
    """Return the length of the longest common subsequence of what begins at each pair of places."""
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for left in range(len(old) - 1, start - 1, -1):
        row, below = best[left], best[left + 1]
        for right in range(len(new) - 1, start - 1, -1):
            row[right] = below[right + 1] + 1 if old[left] == new[right] else max(below[right], row[right + 1])
    return best
