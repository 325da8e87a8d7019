"""Renames one after the other: what was called `a`, then `b`, is called `c` now."""

from __future__ import annotations

from collections.abc import Container, Iterable

from gpuplan.model.fleet import Move


def newest_name(moved: Iterable[Move], section: str, name: str, known: Container[str]) -> str:
    """Return what an entry is called after all renames that follow, up to the first name that is known. Ends in a circle, too."""
    later = {move.old: move.new for move in moved if move.section == section}
    seen: set[str] = set()
    while name not in known and name in later and name not in seen:
        seen.add(name)
        name = later[name]
    return name
