"""Why a rendered tree is stale: for each file the reason, and the first of what a render would change in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpuplan.compare.trees import line_diff, values_of
from gpuplan.compare.walk import compare
from gpuplan.output.check import Stale, Staleness
from gpuplan.output.index import INDEX_FILE, Index, sha256
from gpuplan.output.scan import read_file
from gpuplan.report.changes import Row, rows
from gpuplan.report.terminal import printable

FILES_SHOWN: Final = 20
"""Files listed one by one; the rest is a number, and is not read."""
CHANGES_SHOWN: Final = 3
_PAD: Final = " " * 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree on disk, what its index says, and what a render would write there, by path."""

    root: Path
    index: Index | None
    """None where it cannot be read."""
    wanted: Mapping[str, bytes]
    """Without files of which only the hash is known."""
    version: str
    """The version of gpuplan that would render it."""


def lines(tree: Tree, stale: Sequence[Stale]) -> Iterator[str]:
    """Yield what is stale and why, without control characters. Raises OSError where a file cannot be read."""
    if tree.index is not None and tree.index.version not in ("", tree.version):
        yield f"  {tree.root} was made by gpuplan {printable(tree.index.version)}, and this is {tree.version}"
    for file in stale[:FILES_SHOWN]:
        reason, changed = _why(tree, file)
        yield f"  {file.staleness.value:8} {printable(file.path)}{f': {reason}' if reason else ''}"
        yield from (_PAD + printable(_words(row)) for row in changed[:CHANGES_SHOWN])
        if len(changed) > CHANGES_SHOWN:
            yield f"{_PAD}… and {len(changed) - CHANGES_SHOWN} more"
    if len(stale) > FILES_SHOWN:
        yield f"  … and {len(stale) - FILES_SHOWN} more"


def _words(row: Row) -> str:
    value = row.value or f"{len(row.block)} lines"
    return f"{row.sign} {row.path}: {value}"


def _why(tree: Tree, file: Stale) -> tuple[str, list[Row]]:
    """Return the reason, and what a render would change."""
    if file.staleness is Staleness.ORPHAN:
        sources = tree.index.sources.get(file.path, ()) if tree.index else ()
        return f"nothing in {', '.join(map(printable, sources)) or 'the fleet'} makes it any more", []
    if file.staleness is Staleness.MISSING:
        return "", []
    if file.path == INDEX_FILE:
        return "the list of all files, with their hashes", []
    found = _found(tree.root / file.path)
    if found is None:
        return "a folder is in its place", []
    listed = tree.index.hashes.get(file.path) if tree.index else None
    by_hand = "" if listed in (None, sha256(found)) else "edited by hand"
    wanted = tree.wanted.get(file.path)
    reason, changed = ("", []) if wanted is None else _difference(file.path, found, wanted)
    return "; ".join(filter(None, (by_hand, reason))), changed


def _found(path: Path) -> bytes | None:
    try:
        return read_file(str(path))
    except IsADirectoryError:
        return None


def _difference(path: str, found: bytes, wanted: bytes) -> tuple[str, list[Row]]:
    """Return what differs in a file: in words, or place by place where both texts hold as many documents."""
    before, after = values_of(path, found), values_of(path, wanted)
    if before is None or after is None or len(before) != len(after):
        return _lines(found, wanted), []
    changed = [
        row for old, new in zip(before, after, strict=True) for change in compare(old, new) for row in rows(change, new)
    ]
    return ("" if changed else "the same object in another text"), changed


def _lines(found: bytes, wanted: bytes) -> str:
    """Return how many lines of a text differ."""
    diff = line_diff(*(text.decode(errors="replace") for text in (found, wanted)))
    more, less = (sum(line.startswith(mark) for line in diff) for mark in "+-")
    return f"+{more} -{less} lines"
