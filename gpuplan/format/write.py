"""A text in the one style: rows with their comments to lines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from gpuplan.format.attach import BLANK, Attached, Block, Row, attached
from gpuplan.format.brackets import bracket_lines
from gpuplan.format.order import Place, below, fixed_keys
from gpuplan.format.order import root as spec_root
from gpuplan.format.scalars import key_text, value_lines
from gpuplan.source.layout import Comment, Group, Layout, Leaf, Pair, Part, lay_out

MODELINE: Final = "# yaml-language-server:"
"""Begins the comment by which editors find the schema; it stays at the top of its document."""
_LEAD: Final = re.compile(r" *(?:- +)*")
_GAP: Final = 2
"""Spaces at least between a value and the comment behind it."""


def styled(text: str) -> str:
    """Return a text that our reader takes without an error, in the style of `gpuplan fmt`."""
    layout = lay_out(text)
    lines: list[str] = []
    for number, document in enumerate(attached(layout)):
        lines += _document(document, layout, first=number == 0)
    return "\n".join(lines) + "\n"


def _document(document: Attached, layout: Layout, *, first: bool) -> list[str]:
    page = document.page
    lines = _trimmed(document.prelude)
    if page.directives:
        lines += ["...", *page.directives] if not first else page.directives
    root = page.root
    anchored = root.properties if isinstance(root, Group) and not root.flow else ""
    if page.marker or not first or anchored:
        comment = page.marker[3:].strip()
        lines.append(" ".join(part for part in ("---", anchored, comment if comment[:1] == "#" else "") if part))
    writer = _Writer(layout, reorder=not page.has_names)
    if document.row.block is not None:
        head, block = _head(document.row.above, document.row.block)
        lines += [*head, *writer.block(block, spec_root(), 0, top=True)]
    else:
        lines += [*_trimmed(document.row.above), *writer.value_row(document.row, "", root, spec_root(), 0)]
    return lines + _unled(document.below, lines)


def _head(above: tuple[str, ...], block: Block) -> tuple[list[str], Block]:
    """Part what stands at the top of a document from its first entry, which may not stay the first."""
    cut = max((n for n, line in enumerate(above) if line == BLANK or line.startswith(MODELINE)), default=-1) + 1
    head = _trimmed(above[:cut])
    if head and BLANK in above[:cut][-1:]:
        head.append(BLANK)
    first, *others = block.rows
    moved = replace(first, above=(*above[cut:], *first.above), blank=False)
    return head, replace(block, rows=(moved, *others))


def _trimmed(lines: tuple[str, ...] | list[str]) -> list[str]:
    """Leave out empty lines at both ends."""
    made = [*lines]
    while made and made[0] == BLANK:
        del made[0]
    while made and made[-1] == BLANK:
        del made[-1]
    return made


def _unled(comments: tuple[str, ...], before: list[str]) -> list[str]:
    """Leave out an empty line before comments where one stands there already, or nothing does."""
    return [*comments[1:]] if comments[:1] == (BLANK,) and not (before and before[-1]) else [*comments]


class _Writer:
    """Writes the blocks of one document."""

    def __init__(self, layout: Layout, *, reorder: bool) -> None:
        self._layout = layout
        self._reorder = reorder

    def block(self, block: Block, place: Place | None, indent: int, *, top: bool = False) -> list[str]:
        """Return the lines of a block that stands at a column."""
        rows = self._ordered(block, place) if block.group.mapping and self._reorder else block.rows
        lines: list[str] = []
        was_block = False
        pad = " " * indent
        for row in rows:
            apart = row.blank or (top and (was_block or row.block is not None))
            if apart and lines and lines[-1]:
                lines.append(BLANK)
            lines += [pad + text if text else BLANK for text in row.above]
            lines += self._row(row, place, indent)
            was_block = row.block is not None
        deeper = pad if block.group.mapping else pad + "  "
        return lines + [deeper + text if text else BLANK for text in _unled(block.below, lines)]

    def _ordered(self, block: Block, place: Place | None) -> tuple[Row, ...]:
        names = fixed_keys(place)
        return tuple(sorted(block.rows, key=lambda row: names.get(_name(row), len(names))))

    def _row(self, row: Row, place: Place | None, indent: int) -> list[str]:
        pad = " " * indent
        if isinstance(row.member, Pair):
            inner = below(place, row.member.key.text)
            lead = pad + key_text(row.member.key) + ":"
            if row.block is None:
                return self.value_row(row, lead, row.member.value, inner, indent)
            properties = _properties(row.member.value)
            opened = self._commented([f"{lead} {properties}".rstrip()], 0, row.ending)
            step = 0 if not row.block.group.mapping else 2
            return opened + self.block(row.block, inner, indent + step)
        inner = below(place, 0)
        if row.block is None:
            return self.value_row(row, pad + "-", row.member, inner, indent)
        lines = self.block(row.block, inner, indent + 2)
        properties = _properties(row.member)
        if properties:
            return [f"{pad}- {properties}", *lines]
        return [f"{pad}- {lines[0].lstrip()}", *lines[1:]]  # the first line of its block stands behind the dash

    def _commented(self, lines: list[str], number: int, comment: Comment | None) -> list[str]:
        """Put a comment behind a line: where its author aligned it, moved as the line was, if there is room."""
        if comment is None:
            return lines
        moved = _indent(lines[number]) - _indent(self._layout.lines[comment.line])
        width = max(len(lines[number]) + _GAP, comment.column + moved)
        return [*lines[:number], lines[number].ljust(width) + comment.text, *lines[number + 1 :]]

    def value_row(self, row: Row, lead: str, value: Part, place: Place | None, indent: int) -> list[str]:
        """Return a value behind its key or dash, with the comment at its end."""
        if isinstance(value, Leaf):
            first, *rest = value_lines(value, indent)
        else:
            first, *rest = bracket_lines(value, self._layout, indent, place, reorder=self._reorder)
        start = f"{lead} {first}".rstrip() if lead else first
        return self._commented([start, *rest], len(rest), row.ending)


def _indent(line: str) -> int:
    """Return the column of the first key or value of a line: dashes count as indentation."""
    found = _LEAD.match(line)
    return found.end() if found else 0


def _name(row: Row) -> str:
    return row.member.key.text if isinstance(row.member, Pair) else ""


def _properties(part: Part | Pair) -> str:
    return part.properties if isinstance(part, Group) else ""
