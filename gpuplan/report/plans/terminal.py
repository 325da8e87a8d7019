"""A plan in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gpuplan.plan import Risk
from gpuplan.report import console
from gpuplan.report.plans.parts import Entries, Entry, Section, Table, View
from gpuplan.report.terminal import printable

STYLES: Final = {Risk.DESTRUCTIVE: "bold red", Risk.DISRUPTIVE: "bold yellow", Risk.LOW: "bold cyan", Risk.NONE: "bold"}
SIGNS: Final = {"+": "green", "~": "yellow", "-": "red", "-/+": "bold red", "!": "bold"}
_CODE: Final = re.compile(r"`([^`]+)`")
_INDENT: Final = 2


def drawn(view: View, *, colour: bool) -> str:
    """Return the plan as text, with ANSI colour only if asked."""
    return console.drawn(_parts(view), colour=colour)


def _parts(view: View) -> Iterator[RenderableType]:
    headline = Text(printable(view.headline), style=STYLES[view.plan.risk])
    yield Text.assemble(("gpuplan plan  ", "bold"), printable(view.title))
    yield Text(printable(view.fleet))
    yield from (Text(printable(f"Note: {note}")) for note in view.notes)
    yield headline
    for section in view.sections:
        yield Text("")
        yield from _section(section)
    if view.sections:
        yield Text("")
        yield headline


def _section(section: Section) -> Iterator[RenderableType]:
    yield Text(section.title, style=STYLES[section.risk] if section.risk else "bold")
    for block in section.blocks:
        yield from _table(block) if isinstance(block, Table) else _entries(block)


def _entries(block: Entries) -> Iterator[RenderableType]:
    """Yield one text of many lines: a plan can have thousands, and each renderable has its price."""
    depth = _INDENT * (2 if block.title else 1)
    lines = [
        *([_line(block.title, _INDENT)] if block.title else []),
        *([_line(block.before, depth)] if block.before else []),
        *(line for entry in block.entries for line in _entry(entry, depth)),
    ]
    if block.after:
        lines.append(_line(f"{block.after} {f'[{block.link}]' if block.link else ''}".rstrip(), depth, style="dim"))
    yield Text("\n", no_wrap=True, overflow="ignore").join(lines)


def _entry(entry: Entry, depth: int) -> Iterator[Text]:
    sign = f"{entry.sign} " if entry.sign else ""
    text = Text.assemble(" " * depth, (sign, SIGNS.get(entry.sign, "bold")), _words(entry.text))
    if entry.asked:
        text.append(": " + ", ".join(printable(name) for name in entry.asked))
    if entry.origin:
        text.append("  from ", style="dim").append_text(_words(entry.origin))
    yield text
    inner = depth + max(_INDENT, len(sign))
    for detail in entry.details:
        yield _line(detail, inner)
    for code in entry.codes:
        for line in code.text.split("\n"):
            yield Text(" " * (inner + _INDENT) + printable(line), style="cyan")


def _table(block: Table) -> Iterator[RenderableType]:
    yield _line(block.title, _INDENT)
    if block.rows:
        rows = [[printable(cell) for cell in row] for row in block.rows]
        yield Padding(console.table(block.header, rows, right=block.right), (0, 0, 0, 2 * _INDENT))
    for note in block.after:
        yield _line(note, 2 * _INDENT)


def _line(text: str, depth: int, *, style: str = "") -> Text:
    return Text(" " * depth, style=style).append_text(_words(text))


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
