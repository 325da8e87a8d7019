"""rich, for everything that people read in a terminal; plain text where there is none."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

PIPED_WIDTH = 160
"""Columns when nobody looks at a terminal, so that nothing is cut."""


def drawn(parts: Iterable[RenderableType], *, colour: bool, width: int | None = None) -> str:
    """Return renderables as text, with ANSI colour only if asked; `width` is that of the terminal unless given."""
    width = width or shutil.get_terminal_size((PIPED_WIDTH, 24)).columns
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False, markup=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()) -> Table:
    """Return a table without a frame; `right` are the columns of numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold", show_edge=False, show_header=any(header))
    for index, name in enumerate(header):
        made.add_column(name, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


def title(text: str) -> Text:
    """Return a heading."""
    return Text(text, style="bold")
