"""Values in brackets: on one line in one form, on several lines as the author broke them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Final

from gpuplan.format.order import Place, below, fixed_keys
from gpuplan.format.scalars import key_text, one_line
from gpuplan.source.layout import Group, Layout, Leaf, Pair, Part

_SIGN: Final = re.compile(r"#[^\n]*|[&!][^\s,\[\]{}]*|[\[\]{},:?]|\n")
"""What stands between the values of brackets."""
_OPENING, _CLOSING = "[{", "]}"


def bracket_lines(group: Group, layout: Layout, indent: int, place: Place | None, *, reorder: bool) -> list[str]:
    """Return a value in brackets line by line; `indent` is the column of the key or dash that it follows."""
    if "\n" not in layout.text[group.at : group.end]:
        return [_single(group, place, reorder=reorder)]
    return _broken(group, layout, indent)


def _single(part: Part, place: Place | None, *, reorder: bool) -> str:
    if isinstance(part, Leaf):
        return one_line(part)
    if part.mapping:
        pairs = [pair for pair in part.members if isinstance(pair, Pair)]
        keys = fixed_keys(place) if reorder else {}
        pairs.sort(key=lambda pair: keys.get(pair.key.text, len(keys)))
        inner = [
            f"{key_text(pair.key)}: {_single(pair.value, below(place, pair.key.text), reorder=reorder)}"
            for pair in pairs
        ]
        text = "{" + ", ".join(inner) + "}"
    else:
        items = [item for item in part.members if not isinstance(item, Pair)]
        inner = [_single(item, below(place, 0), reorder=reorder) for item in items]
        text = "[" + ", ".join(inner) + "]"
    return f"{part.properties} {text}" if part.properties else text


def _signs(group: Group, layout: Layout) -> Iterator[str]:
    """Yield values and signs in order, line ends among them."""
    first, last = (bisect_left(layout.leaves, at, key=attrgetter("at")) for at in (group.at, group.end))
    atoms: Mapping[int, Leaf] = {leaf.at: leaf for leaf in layout.leaves[first:last] if leaf.end > leaf.at}
    at = group.at
    while at < group.end:
        leaf = atoms.get(at)
        if leaf is not None:
            yield leaf.raw if "\n" in leaf.raw else one_line(leaf)
            at = leaf.end
        elif match := _SIGN.match(layout.text, at):
            yield match.group()
            at = match.end()
        else:
            at += 1


def _broken(group: Group, layout: Layout, indent: int) -> list[str]:
    """Keep the author's line ends; indent by two for each bracket that is open, put spaces where they belong."""
    lines: list[str] = []
    depth, line, pending = 0, "", ""
    for sign in [*_signs(group, layout), "\n"]:
        if sign == "\n":
            if line or (lines and lines[-1]):
                lines.append(line)
            line, pending = "", ""
            continue
        closing = sign in _CLOSING
        depth -= closing
        if not line and lines:
            line = " " * (indent + 2 * depth if closing else indent + 2 * max(depth, 1))
            pending = ""
        line += _between(line, sign, pending) + sign
        pending = sign
        depth += sign in _OPENING
    return lines


def _between(line: str, sign: str, last: str) -> str:
    """Return the space between two signs of a line."""
    if not line.strip() or not last:
        return ""
    if sign.startswith("#"):
        return "  "
    glued = sign == "," or (sign == ":" and not last.startswith("*")) or sign in _CLOSING or last in _OPENING
    return "" if glued else " "
