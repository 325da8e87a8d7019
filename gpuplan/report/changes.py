"""Differences of objects as lines: a sign, a path, and what it was and is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuplan.compare import ABSENT, Change, ChangeKind, Item, path_text
from gpuplan.compare.change import step_text
from gpuplan.compare.trees import line_diff
from gpuplan.manifests.write import yaml_text

SIGNS: Final = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~", ChangeKind.REORDERED: "↕"}
LONGEST: Final = 100
"""Characters of a value on the line of its path; longer ones stand below it."""
MOST_LINES: Final = 40
"""Lines of a value, or of a difference of texts, below a path."""
HIDDEN: Final = "(hidden)"
_SECRET: Final = (("data",), ("stringData",), ("metadata", "annotations"))
"""Where a Secret holds what nobody may read. `kubectl apply` leaves a copy of the whole object in an annotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One difference. `block` are lines below it: of a long value, or of a unified diff."""

    sign: str
    path: str
    value: str
    """What it was and is; empty where `block` says it."""
    block: tuple[str, ...] = ()


def rows(change: Change, obj: Mapping[str, object] | None = None) -> Iterator[Row]:
    """Yield the lines of a change; one for each place that differs in a document that is a text.

    `obj` is the object: the content of a Secret is not shown.
    """
    yield from _rows(change, "", secret=obj is not None and is_secret(change, obj))


def is_secret(change: Change, obj: Mapping[str, object]) -> bool:
    """Tell whether a change shows the content of a Secret."""
    return obj.get("kind") == "Secret" and any(change.path[: len(place)] == place for place in _SECRET)


def _rows(change: Change, above: str, *, secret: bool) -> Iterator[Row]:
    path = above + (path_text(change.path) or "(all)")
    for inner in () if secret else change.within:
        yield from _rows(inner, f"{path} » ", secret=False)
    if secret or not change.within:
        yield _row(change, path, secret=secret)


def _row(change: Change, path: str, *, secret: bool) -> Row:
    sign, old, new = SIGNS[change.kind], change.old, change.new
    if secret:
        return Row(sign=sign, path=path, value=HIDDEN)
    if change.only_form:
        return Row(sign=sign, path=path, value="says the same in another form")
    if isinstance(old, str) and isinstance(new, str) and ("\n" in old or "\n" in new):
        return Row(sign=sign, path=path, value="", block=_capped(line_diff(old, new)))
    words = [value_text(side) for side in (old, new) if side is not ABSENT]
    hint = "" if change.default is ABSENT else f"  (default: {value_text(change.default)})"
    if all(len(word) <= LONGEST for word in words):
        return Row(sign=sign, path=path, value=" → ".join(words) + hint)
    return Row(sign=sign, path=path, value=hint.strip(), block=_capped(tuple(_block(old, new))))


def value_text(value: object) -> str:
    """Return a value on one line."""
    if isinstance(value, tuple | list) and value and all(isinstance(item, Item) for item in value):
        return ", ".join(step_text(item) for item in value if isinstance(item, Item))
    return json.dumps(value, ensure_ascii=False, default=list)


def _block(old: object, new: object) -> Iterator[str]:
    """Yield the lines of two values, the old one's with a minus."""
    for mark, side in (("-", old), ("+", new)):
        if side is not ABSENT:
            whole = isinstance(side, Mapping | list | tuple) and not _is_items(side)
            text = yaml_text(side) if whole else value_text(side)
            yield from (f"{mark}{line}" for line in text.splitlines())


def _is_items(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, Item) for item in value)


def _capped(lines: tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else (*lines[:MOST_LINES], f"… {more} more lines")
