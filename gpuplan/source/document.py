"""A YAML document as a tree that remembers where each key and value stands.

Positions are kept as the parser gave them and become a `Span` only when someone asks: a fleet has a hundred thousand
of them and a report shows ten. Lines and columns of a `Span` count from 1 and columns count characters, not bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from gpuplan.diagnostics import KeyPath, Span

ScalarValue: TypeAlias = str | int | float | bool | None
Plain: TypeAlias = ScalarValue | list["Plain"] | dict[str, "Plain"]
"""Python data as JSON knows it, floats finite."""


class Mark(Protocol):
    """A position in a text, counted from 0, as the YAML parser hands it out."""

    @property
    def line(self) -> int:
        """Lines before this one."""
        ...

    @property
    def column(self) -> int:
        """Characters before this one in its line."""
        ...


class Node:
    """A value with its place: `Scalar`, `Sequence` or `Mapping`. Not to be changed once built."""

    __slots__ = ("end", "file", "start")

    def __init__(self, file: str, start: Mark, end: Mark) -> None:
        self.file = file
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        """Where the value stands, its tag and anchor included."""
        start, end = self.start, self.end
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def plain(self) -> Plain:
        """Return the value as Python data; nothing of it is shared with the tree or with another alias."""
        raise NotImplementedError


class Scalar(Node):
    """One value that is not a collection.

    `value` is what YAML 1.2 makes of it; `text` is what was written, quotes and escapes undone (`1.30` stays `1.30`);
    `style` is the quote (`'` or `"`), the block sign (`|` or `>`), or nothing for plain text.
    """

    __slots__ = ("style", "text", "value")

    def __init__(self, file: str, start: Mark, end: Mark, value: ScalarValue, text: str, style: str) -> None:
        self.file = file
        self.start = start
        self.end = end
        self.value = value
        self.text = text
        self.style = style

    def plain(self) -> ScalarValue:
        """Return the value."""
        return self.value

    def __repr__(self) -> str:
        return f"Scalar({self.value!r} at {self.span})"


class Sequence(Node):
    """A list of nodes."""

    __slots__ = ("items",)

    def __init__(self, file: str, start: Mark, end: Mark, items: tuple[Node, ...]) -> None:
        self.file = file
        self.start = start
        self.end = end
        self.items = items

    def plain(self) -> list[Plain]:
        """Return the items as a list."""
        return [n.value if n.__class__ is Scalar else n.plain() for n in self.items]

    def __repr__(self) -> str:
        return f"Sequence({len(self.items)} items at {self.span})"


class Entry(NamedTuple):
    """One `key: value` of a mapping. The key's value is always a string."""

    key: Scalar
    value: Node

    @property
    def name(self) -> str:
        """The key as a string."""
        return self.key.text

    @property
    def key_span(self) -> Span:
        """Where the key stands."""
        return self.key.span


class Mapping(Node):
    """Entries by their key, in the order of the file. Keys are strings and unique."""

    __slots__ = ("entries",)

    def __init__(self, file: str, start: Mark, end: Mark, entries: dict[str, Entry]) -> None:
        self.file = file
        self.start = start
        self.end = end
        self.entries = entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def get(self, key: str) -> Node | None:
        """Return the value under a key, or None."""
        entry = self.entries.get(key)
        return entry.value if entry else None

    def plain(self) -> dict[str, Plain]:
        """Return the entries as a dict."""
        return {key: n.value if n.__class__ is Scalar else n.plain() for key, (_, n) in self.entries.items()}

    def __repr__(self) -> str:
        return f"Mapping({list(self.entries)} at {self.span})"


@dataclass(frozen=True, eq=False)
class Document:
    """One YAML document of a file: its name as the user gave it, its top mapping, and the text of the whole file.

    >>> from gpuplan.source.yamltext import parse_text
    >>> document = parse_text("fleet/a.yaml", "teams:\\n  nlp: {weight: 2}\\n").documents[0]
    >>> str(document.span_at(("teams", "nlp", "weight")))
    'fleet/a.yaml:2:9'
    """

    file: str
    root: Mapping
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file without their ends; `span.line - 1` is the index."""
        return split_lines(self.text)

    def plain(self) -> dict[str, Plain]:
        """Return the document as Python data."""
        return self.root.plain()

    def find(self, path: KeyPath) -> Node | None:
        """Return the node at a path, or None where the document has no such path."""
        node: Node = self.root
        for segment in path:
            step = _step(node, segment)
            if step is None:
                return None
            node = step[1]
        return node

    def span_at(self, path: KeyPath, *, key: bool = True) -> Span:
        """Return where a path stands: its key, or with `key=False` its value.

        A segment that the document lacks is passed over, so that a missing field points at its closest ancestor and
        a path with a union's tag in it still arrives.
        """
        here: Node = self.root
        value: Node = self.root
        for segment in path:
            step = _step(value, segment)
            if step is not None:
                here, value = step
        return (here if key else value).span


def _step(node: Node, segment: str | int) -> tuple[Node, Node] | None:
    """Return (what names the child, the child): a key and its value, or an item twice."""
    if isinstance(node, Mapping):
        entry = node.entries.get(segment) if isinstance(segment, str) else None
        return (entry.key, entry.value) if entry else None
    if isinstance(node, Sequence) and isinstance(segment, int) and 0 <= segment < len(node.items):
        return node.items[segment], node.items[segment]
    return None


def position_after(text: str) -> tuple[int, int]:
    """Return the line and column, from 1, of whatever follows a text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return len(lines), len(lines[-1]) + 1


def split_lines(text: str) -> tuple[str, ...]:
    """Split as YAML 1.2 counts lines: at LF, CR LF and CR, and nowhere else.

    The last line is always the empty one after the end of the text: the parser puts there what is missing.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return (*lines, "") if lines[-1] else tuple(lines)
