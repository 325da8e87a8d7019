"""A text of somebody's to its documents' values; places and complaints cost more than values, and are had where needed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gpuplan.diagnostics import Diagnostic, Diagnostics, Related, Span
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.quick import EMPTY, UNREAD, quick

_MARKER: Final = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^%", re.MULTILINE)
_PLAIN_BYTES: Final = bytes([10, *range(32, 127)])
_UNUSUAL: Final = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Tabs, and what YAML forbids or takes for the end of a line: matter for the whole parser."""

Move = Callable[[Span], Span]
"""From a place in a text to the place of that text in its file."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one document of a file, and how many lines of the file stand before it."""

    file: str
    text: str
    lines: int = 0

    def moved(self, span: Span) -> Span:
        """Return the place in the file of a place in the piece."""
        return moved(span, self.lines, 0) if self.lines else span


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What one piece gave: the values of its documents, and findings with places in the piece."""

    values: tuple[object, ...]
    findings: Diagnostics = ()
    broken: bool = False
    """Whether a document could not be read at all."""


def moved(span: Span, lines: int, columns: int) -> Span:
    """Return a place that much further down and to the right."""
    line, column, end_line, end_column = span.line, span.column, span.end_line, span.end_column
    return Span(span.file, line + lines, column + columns, end_line + lines, end_column + columns)


def moved_finding(finding: Diagnostic, move: Move) -> Diagnostic:
    """Return a finding with all its places moved."""
    also = tuple(Related(other.message, move(other.at)) for other in finding.also)
    return dataclasses.replace(finding, at=move(finding.at), also=also)


def pieces(file: str, text: str) -> list[Piece]:
    """Split a text at its `---`, which begin a document wherever they stand; a text with directives stays whole."""
    text = text.removeprefix("\ufeff")
    if "---" not in text or ("%" in text and _DIRECTIVE.search(text)):
        return [Piece(file, text)]
    found, begin, lines = [], 0, 0
    for marker in _MARKER.finditer(text):
        if marker.start():
            found.append(Piece(file, text[begin : marker.start()], lines))
            lines += text.count("\n", begin, marker.start())
            begin = marker.start()
    return [*found, Piece(file, text[begin:], lines)]


def values_of(file: str, text: str) -> Values:
    """Return the values in a piece: nearly always by the quick reader, else with all that the whole parser has to say."""
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    value = quick(plain) if not is_unusual(plain) else UNREAD
    if value is EMPTY:
        return Values(values=())
    if value is not UNREAD:
        return Values(values=(value,))
    read = parse_foreign(file, text)
    return Values(values=tuple(root.plain() for root in read.roots), findings=read.findings, broken=read.broken)


def is_unusual(text: str) -> bool:
    """Tell whether a text holds signs that only the whole parser knows how to take."""
    if text.isascii():
        return bool(text.encode().translate(None, _PLAIN_BYTES))
    return _UNUSUAL.search(text) is not None
