"""What an import gives account of, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gpuplan.importer.account import Account, Fate, Line
from gpuplan.report.changes import rows
from gpuplan.report.machine import FORMAT_VERSION, json_text
from gpuplan.report.terminal import printable

HEADINGS = {
    Fate.KEPT: "Kept: the render holds the same under the same name",
    Fate.CHANGED: "Changed: the render holds it under the same name, with another meaning",
    Fate.LIFTED: "Lifted: an entry of the spec says it, and renders to other objects",
    Fate.UNTRIED: "Not compared: the spec has errors, so nothing was rendered",
    Fate.LOST: "Lost: nothing in the spec says it",
    Fate.OUTSIDE: "Left alone: no part of the platform's set-up",
    Fate.ADDED: "Added: new in the render",
}
LISTED = 40
"""Objects that stayed as they are and are listed by name; of more a person wants the numbers."""
SUMMED_UP = (Fate.ADDED, Fate.UNTRIED)
"""Fates of which a person wants the number, by kind."""


def as_text(account: Account) -> str:
    """Return the account for people."""
    return "".join(f"{line}\n" for line in _lines(account))


def _lines(account: Account) -> Iterator[str]:
    for fate, heading in HEADINGS.items():
        inside = [line for line in account if line.fate is fate]
        if inside:
            yield f"{heading} ({len(inside)})"
            yield from _summed(inside) if fate in SUMMED_UP or len(inside) > _is_long(fate) else _listed(inside)


def _is_long(fate: Fate) -> float:
    """Return how many objects of a fate are listed one by one; what differs or is lost always is."""
    return LISTED if fate in (Fate.KEPT, Fate.OUTSIDE) else float("inf")


def _summed(lines: list[Line]) -> Iterator[str]:
    counts = Counter(line.object.partition(" ")[0] for line in lines)
    yield "  " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


def _listed(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        place = f"  {line.at}" if line.at else ""
        why = f": {line.why}" if line.why else ""
        yield f"  {printable(line.object)}{printable(why)}{printable(place)}"
        if line.missing:
            yield f"    not in the spec: {printable(', '.join(line.missing))}"
        yield from (f"    {printable(one)}" for one in _changes(line))


def _changes(line: Line) -> Iterator[str]:
    for change in line.changes:
        for row in rows(change):
            yield f"{row.sign} {row.path}: {row.value}" if row.value else f"{row.sign} {row.path}"
            yield from (f"  {inner}" for inner in row.block)


def as_json(account: Account) -> str:
    """Return the account for programs."""
    return json_text({"format_version": FORMAT_VERSION, "objects": [_object(line) for line in account]})


def _object(line: Line) -> dict[str, Any]:
    return {
        "object": line.object,
        "fate": line.fate.value,
        "at": line.at,
        "why": line.why,
        "missing": list(line.missing),
        "changes": list(_changes(line)),
    }
