"""Where the values of an item stand. Asked only when a finding needs it: positions cost more than values."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.source.document import Entry, Mapping, Node, Scalar, Sequence, split_lines

_WORD = re.compile(r"\S+")


class Places(Protocol):
    """Gives the place of a value by its path in the item."""

    @property
    def file(self) -> str:
        """Name of the file, as spans have it."""
        ...

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands: its key, or the value. Of a path that is not there, its closest ancestor."""
        ...

    def own_line(self, path: KeyPath) -> bool:
        """Tell whether the key at a path begins its line, so that the line says nothing else than this."""
        ...

    def inside(self, path: KeyPath, offset: int) -> Span:
        """Return where a character of the text at a path stands; the text where that cannot be told."""
        ...


@dataclass(frozen=True, slots=True)
class OnePlace:
    """Everything stands at one place: the entry of a spec that an object of ours was made from."""

    span: Span

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.span.file

    def at(self, path: KeyPath, *, key: bool) -> Span:  # noqa: ARG002 - the same for all
        """Return the place."""
        return self.span

    def own_line(self, path: KeyPath) -> bool:  # noqa: ARG002 - the same for all
        """Return True."""
        return True

    def inside(self, path: KeyPath, offset: int) -> Span:  # noqa: ARG002 - the same for all
        """Return the place."""
        return self.span


class TextPlaces:
    """Places in the text of a file. `read` gives the node of the item when it is first asked for; `text` is the file's."""

    def __init__(self, read: Callable[[], Node], file: str, text: str = "") -> None:
        self._read = read
        self._text = text
        self.file = file

    @cached_property
    def _root(self) -> Node:
        return self._read()

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands."""
        here = value = self._root
        for segment in path:
            step = _step(value, segment)
            if step is None:
                return here.span
            here, value = step
        return (here if key else value).span

    def own_line(self, path: KeyPath) -> bool:
        """Tell whether no other key of the mapping, nor what the mapping belongs to, shares the key's line."""
        value = self._root
        above: Node | None = None
        owner = here = value
        for segment in path:
            step = _step(value, segment)
            if step is None:
                return False
            above, owner, (here, value) = value, here, step
        if not isinstance(above, Mapping):
            return True
        line = here.start.line
        siblings = sum(entry.key.start.line == line for entry in above)
        return siblings == 1 and (owner is above or owner.start.line != line)

    def inside(self, path: KeyPath, offset: int) -> Span:
        """Return where a character of a text stands: folding and indenting change spaces alone, so words are counted."""
        value = self._root
        for segment in path:
            step = _step(value, segment)
            if step is None:
                return self.at(path, key=False)
            value = step[1]
        return _word_of(value, offset, split_lines(self._text)) if isinstance(value, Scalar) else value.span


class InnerPlaces:
    """Places in a text that stands inside another item: `read` gives its node, `outer` the place of each of its characters."""

    def __init__(self, read: Callable[[], Node], text: str, outer: Callable[[int], Span]) -> None:
        self._inner = TextPlaces(read, "", text)
        self._lines = split_lines(text)
        self._outer = outer

    @property
    def file(self) -> str:
        """Name of the file."""
        return self._outer(0).file

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands in the file."""
        return self._lifted(self._inner.at(path, key=key))

    def own_line(self, path: KeyPath) -> bool:
        """Tell whether the key at a path begins its line."""
        return self._inner.own_line(path)

    def inside(self, path: KeyPath, offset: int) -> Span:
        """Return where a character of the text at a path stands in the file."""
        return self._lifted(self._inner.inside(path, offset))

    def _lifted(self, span: Span) -> Span:
        return self._outer(sum(len(line) + 1 for line in self._lines[: span.line - 1]) + span.column - 1)


class _Position(NamedTuple):
    line: int
    column: int


def text_node(file: str, text: str) -> Scalar:
    """Return a text that is no YAML as the one value of a file."""
    lines = split_lines(text)
    return Scalar(file, _Position(0, 0), _Position(len(lines) - 1, 0), text, text, "")


def _word_of(node: Scalar, offset: int, lines: Listed[str]) -> Span:
    """Return where the word of a scalar's text stands that has the character at an offset."""
    if node.style == "|":
        return _in_block(node, offset, lines)
    words = [match for match in _WORD.finditer(node.text) if match.start() <= offset]
    shown = _words(node, lines)
    if not words or len(words) > len(shown):
        return node.span
    line, column = shown[len(words) - 1]
    column += offset - words[-1].start() + (node.style in ("'", '"') and len(words) == 1)
    return Span(node.file, line, column, line, column + 1)


def _in_block(node: Scalar, offset: int, lines: Listed[str]) -> Span:
    """Return where a character of a block stands that keeps its lines: all of them are indented alike."""
    before = node.text[:offset]
    index = node.start.line + 1 + before.count("\n")
    begin = before.rfind("\n") + 1
    kept = node.text[begin:].partition("\n")[0]
    indent = len(lines[index]) - len(kept) if index < len(lines) else 0
    column = max(indent, 0) + offset - begin + 1
    return Span(node.file, index + 1, column, index + 1, column + 1)


def _words(node: Scalar, lines: Listed[str]) -> list[tuple[int, int]]:
    """Return (line, column) of each word of a scalar as it is written."""
    first = node.start.line + (node.style in ("|", ">"))
    found = []
    for index in range(first, min(node.end.line + 1, len(lines))):
        begin = node.start.column if index == node.start.line else 0
        end = node.end.column if index == node.end.line else len(lines[index])
        found += [(index + 1, match.start() + 1) for match in _WORD.finditer(lines[index], begin, end)]
    return found


def _step(node: Node, segment: str | int) -> tuple[Node, Node] | None:
    """Return (what names the child, the child): a key and its value, or an item twice."""
    if isinstance(node, Mapping):
        entry: Entry | None = node.entries.get(segment) if isinstance(segment, str) else None
        return (entry.key, entry.value) if entry else None
    if isinstance(node, Sequence) and isinstance(segment, int) and 0 <= segment < len(node.items):
        return node.items[segment], node.items[segment]
    return None
