"""The line of a file that a finding is about, with a mark under the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpuplan.diagnostics import Span
from gpuplan.report.terminal import cells, paint, printable

_TAB_STOP: Final = 4
_CUT: Final = "…"
_FAR: Final = 400
"""Characters to each side of the place that are looked at: more never fits, and a line can have millions."""


def is_whole_file(span: Span) -> bool:
    """Tell whether a finding is about a file as such: the empty span at its start.

    Then its text is not to be asked for: it may be a pipe, a huge file, or a link to what must not be shown.
    """
    return (span.line, span.column, span.end_line, span.end_column) == (1, 1, 1, 1)


def excerpt(lines: Sequence[str], span: Span, *, width: int, colour: bool, style: str = "error") -> Iterator[str]:
    """Yield the source line and the marks below it, at most `width` cells wide; nothing where there is no such line."""
    if not span.line <= len(lines) or not lines[span.line - 1].strip():
        return
    line = lines[span.line - 1]
    gutter = f"{span.line:>5} | "
    shown, start, length = _window(line, *_columns(line, span), room=max(width - len(gutter) - 1, 10))
    yield paint(gutter, "frame", colour=colour) + shown
    blank = "| ".rjust(len(gutter))
    yield paint(blank, "frame", colour=colour) + " " * start + paint("^" * length, style, colour=colour)


def _columns(line: str, span: Span) -> tuple[int, int]:
    """Return the marked stretch of the line as indexes; what goes on below is marked to the end of the line."""
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    start = min(span.column - 1, len(line))
    return start, max(start, min(end, len(line)))


def _window(line: str, start: int, end: int, *, room: int) -> tuple[str, int, int]:
    """Return the part of a line that fits, the cell where the mark begins in it, and the mark's length in cells.

    The mark may stand one cell past `room`: what is missing is missing after the end.
    """
    far = max(0, start - _FAR)
    before = _expanded(line[far:start], 0)
    marked = _expanded(line[start : min(end, start + _FAR)], cells(before))
    after = _expanded(line[min(end, start + _FAR) : end + _FAR], cells(before) + cells(marked)).rstrip()
    if far == 0 and cells(before) + cells(marked) + cells(after) <= room and len(line) <= end + _FAR:
        return before + marked + after, cells(before), max(1, cells(marked))
    kept = max(room // 3, room - cells(marked) - cells(after) - 2)
    if far or cells(before) > kept:
        before = _CUT + _last_cells(before, kept - 1)
    marked = _first_cells(marked, room - cells(before) - 1)
    rest = room - cells(before) - cells(marked)
    if cells(after) > rest or len(line) > end + _FAR:
        after = _first_cells(after, rest - 1) + _CUT
    return before + marked + after, cells(before), max(1, cells(marked))


def _expanded(text: str, at: int) -> str:
    """Return printable text with tabs as spaces; `at` is the cell where it begins."""
    out: list[str] = []
    for char in printable(text):
        shown = " " * (_TAB_STOP - at % _TAB_STOP) if char == "\t" else char
        out.append(shown)
        at += cells(shown)
    return "".join(out)


def _first_cells(text: str, room: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += cells(char)
        if used > room:
            return text[:index]
    return text


def _last_cells(text: str, room: int) -> str:
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += cells(text[index])
        if used > room:
            return text[index + 1 :]
    return text
