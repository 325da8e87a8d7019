"""The nearest known name to one that was mistyped."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

CLOSE_ENOUGH = 0.6
"""difflib's ratio (0 to 1) above which a name was probably meant; below it, a guess would only mislead."""


def nearest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that was probably meant, None where none is close. Letter case does not count.

    >>> nearest("trian", ["lab", "train"])
    'train'
    >>> nearest("onlineinference", ["batchInference", "onlineInference"])
    'onlineInference'
    """
    by_lower = {other.lower(): other for other in reversed(known)}
    found = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=CLOSE_ENOUGH)
    return by_lower[found[0]] if found else None
