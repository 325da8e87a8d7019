"""Numbers and names in sentences: the same wherever gpuplan writes one. This module imports nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, word: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "card"), counted(16, "node")
    ('1 card', '16 nodes')
    """
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def in_a_row(names: Sequence[str], last: str = "and") -> str:
    """Return names as words; nothing where there are none.

    >>> in_a_row(["a"]), in_a_row(["a", "b"]), in_a_row(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
