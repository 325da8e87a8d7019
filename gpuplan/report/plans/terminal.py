"""A plan in a terminal."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.text import Text

from gpuplan.plan import Risk
from gpuplan.report import console
from gpuplan.report.plans.parts import Entries, Entry, Section, Table, View
from gpuplan.report.terminal import printable

STYLES: Final = {Risk.DESTRUCTIVE: "bold red", Risk.DISRUPTIVE: "bold yellow", Risk.LOW: "bold cyan", Risk.NONE: "bold"}
SIGNS: Final = {"+": "green", "~": "yellow", "-": "red", "-/+": "bold red", "!": "bold"}
NARROWEST: Final = 40
"""Columns below which lines run on: nothing could be read in such a strip."""
UNBROKEN: Final = 1_000_000
"""Columns for rich, which would cut off what is longer: lines are broken here, but for those to copy."""
_CODE: Final = re.compile(r"`([^`]+)`")
_INDENT: Final = 2
_WRAPPER: Final = Console(color_system=None)
"""Knows nothing of a terminal; rich asks for one where a text is broken into lines."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A text, the columns before it, and how many more there are before its second line."""

    text: Text
    depth: int = 0
    hang: int = 0
    whole: bool = False
    """Whether it is to be copied, and so not broken."""


def drawn(view: View, *, colour: bool, width: int | None = None) -> str:
    """Return the plan as text, with ANSI colour only if asked; `width` is that of the terminal unless given."""
    width = width or shutil.get_terminal_size((console.PIPED_WIDTH, 24)).columns
    return console.drawn(_parts(view, width), colour=colour, width=UNBROKEN)


def _parts(view: View, width: int) -> Iterator[RenderableType]:
    headline = _Line(Text(printable(view.headline), style=STYLES[view.plan.risk]))
    yield _laid(
        [
            _Line(Text.assemble(("gpuplan plan  ", "bold"), printable(view.title))),
            _Line(_words(view.fleet)),
            *(_Line(_words(f"Note: {note}"), 0, _INDENT) for note in view.notes),
            headline,
        ],
        width,
    )
    for section in view.sections:
        yield Text("")
        yield from _section(section, width)
    if view.sections:
        yield Text("")
        yield _laid([headline], width)


def _section(section: Section, width: int) -> Iterator[RenderableType]:
    yield Text(section.title, style=STYLES[section.risk] if section.risk else "bold")
    for block in section.blocks:
        if isinstance(block, Table):
            yield from _table(block, width)
        else:
            yield _laid(list(_entries(block)), width)


def _laid(lines: list[_Line], width: int) -> RenderableType:
    """Return one text of many lines: a plan can have thousands, and each renderable has its price."""
    made = (line for one in lines for line in _broken(one, width))
    return Text("\n", no_wrap=True, overflow="ignore").join(made)


def _broken(line: _Line, width: int) -> Iterator[Text]:
    """Yield a line, broken where it is too long, what follows a little deeper."""
    room = width - line.depth - line.hang
    if line.whole or room < NARROWEST or line.depth + line.text.cell_len <= width:
        yield Text(" " * line.depth).append_text(line.text)
        return
    for number, part in enumerate(line.text.wrap(_WRAPPER, room, overflow="fold")):
        yield Text(" " * (line.depth + (line.hang if number else 0))).append_text(part)


def _entries(block: Entries) -> Iterator[_Line]:
    depth = _INDENT * (2 if block.title else 1)
    if block.title:
        yield _Line(_words(block.title), _INDENT, _INDENT)
    if block.before:
        yield _Line(_words(block.before), depth)
    for entry in block.entries:
        yield from _entry(entry, depth)
    if block.after:
        yield _Line(Text(style="dim").append_text(_words(block.after)), depth)
    if block.link:
        yield _Line(Text(printable(block.link), style="dim underline"), depth, whole=True)


def _entry(entry: Entry, depth: int) -> Iterator[_Line]:
    sign = f"{entry.sign} " if entry.sign else ""
    text = Text.assemble((sign, SIGNS.get(entry.sign, "bold")), _words(entry.text))
    if entry.asked:
        text.append(": " + ", ".join(printable(name) for name in entry.asked))
    if entry.origin:
        text.append("  from ", style="dim").append_text(_words(entry.origin))
    hang = max(_INDENT, len(sign))
    yield _Line(text, depth, hang)
    for detail in entry.details:
        yield _Line(_words(detail), depth + hang, _INDENT)
    for code in entry.codes:
        for line in code.text.split("\n"):
            yield _Line(Text(printable(line), style="cyan"), depth + hang + _INDENT, whole=True)


def _table(block: Table, width: int) -> Iterator[RenderableType]:
    yield _laid([_Line(_words(block.title), _INDENT, _INDENT)], width)
    if block.rows:
        rows = [[printable(cell) for cell in row] for row in block.rows]
        made = Padding(console.table(block.header, rows, right=block.right), (0, 0, 0, 2 * _INDENT))
        yield Constrain(made, width)
    if block.after:
        yield _laid([_Line(_words(note), 2 * _INDENT, _INDENT) for note in block.after], width)


def _words(text: str) -> Text:
    """Return text in which what stands between backticks is bold, and they are gone."""
    made = Text()
    end = 0
    line = printable(text)
    for match in _CODE.finditer(line):
        made.append(line[end : match.start()])
        made.append(match[1], style="bold")
        end = match.end()
    return made.append(line[end:])
