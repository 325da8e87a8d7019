"""A text with its layout: what `document` leaves out, for whoever writes a file anew and keeps what people wrote.

Only for text that `parse_text` reads without an error. Offsets count characters of the text from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from yaml import CSafeLoader
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

_IN_GAP: Final = re.compile(r"^%.*|[&!][^\s,\[\]{}]*|#.*", re.MULTILINE)
"""What can hold a `#` between two values: a directive, a tag or anchor, a comment."""
_PROPERTY: Final = re.compile(r"\s*([&!][^\s,\[\]{}]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment from its `#` to the end of its line; `alone` where nothing else stands on the line."""

    at: int
    line: int
    column: int
    text: str
    alone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A scalar or an alias: `raw` as written, anchor and tag included, and the `text` that it stands for."""

    at: int
    end: int
    line: int
    end_line: int
    raw: str
    text: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A key with its value."""

    key: Leaf
    value: Part

    @property
    def at(self) -> int:
        """Offset of the key."""
        return self.key.at

    @property
    def line(self) -> int:
        """Line of the key, from 0."""
        return self.key.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A mapping (its members are `Pair`) or a list; `flow` where it is in brackets; `properties` are anchor and tag."""

    at: int
    end: int
    line: int
    end_line: int
    column: int
    mapping: bool
    flow: bool
    properties: str
    members: tuple[Part | Pair, ...]


Part: TypeAlias = "Leaf | Group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One document of a text. `marker` is its `---` line without the value that may follow; empty where it has none.

    `line` is the line of the marker, or of the value; `has_names` tells whether anchors make an order of keys matter.
    """

    marker: str
    line: int
    root: Part
    directives: tuple[str, ...]
    has_names: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A text, its documents, and all its comments in order."""

    text: str
    lines: tuple[str, ...]
    pages: tuple[Page, ...]
    comments: tuple[Comment, ...]
    leaves: tuple[Leaf, ...]
    starts: tuple[int, ...]
    """Offset at which each line begins."""


def lay_out(text: str) -> Layout:
    """Read the layout of a text that `parse_text` takes, its line ends LF alone and without a byte order mark."""
    reader = _Reader(text)
    pages = tuple(reader.pages())
    return Layout(
        text=text,
        lines=reader.lines,
        pages=pages,
        comments=tuple(reader.comments()),
        leaves=tuple(reader.leaves),
        starts=tuple(reader.starts),
    )


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been seen yet."""

    event: Any
    parts: list[Part] = field(default_factory=list)


class _Reader:
    """Goes once through the events of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = tuple(text.split("\n"))
        self.leaves: list[Leaf] = []
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self._names = False

    def pages(self) -> Iterator[Page]:
        """Yield the documents."""
        loader: Any = CSafeLoader(self.text)
        last = 0
        while (event := loader.get_event()) is not None:
            if event.__class__ is DocumentStartEvent:
                self._names = False
                root = self._root(loader)
                marked: Any = event.end_mark  # that of `---`; the event may start at a directive
                at = int(marked.line)
                shown = self.lines[at] if event.explicit else ""
                same_line = event.explicit and root.line == at
                marker = "---" if same_line else shown
                gap = self.lines[last:at] if event.version or event.tags else ()
                yield Page(
                    marker=marker,
                    line=at if event.explicit else root.line,
                    root=root,
                    directives=tuple(line.rstrip() for line in gap if line.startswith("%")),
                    has_names=self._names,
                )
                last = root.end_line

    def _root(self, loader: Any) -> Part:
        stack: list[_Open] = []
        while True:
            event = loader.get_event()
            kind = event.__class__
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                self._names |= event.anchor is not None
                stack.append(_Open(event))
                continue
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                part: Part = self._group(stack.pop(), event)
            else:
                part = self._leaf(event)
            if not stack:
                return part
            stack[-1].parts.append(part)

    def _leaf(self, event: Any) -> Leaf:
        self._names |= event.anchor is not None
        at, end = self._offset(event.start_mark), self._offset(event.end_mark)
        is_alias = event.__class__ is AliasEvent
        leaf = Leaf(
            at=at,
            end=end,
            line=event.start_mark.line,
            end_line=self._line_of(at, end),
            raw=self.text[at:end],
            text="" if is_alias else event.value,
            style="*" if is_alias else event.style or "",
        )
        self.leaves.append(leaf)
        return leaf

    def _group(self, opened: _Open, end: Any) -> Group:
        event, parts = opened.event, opened.parts
        is_mapping = event.__class__ is MappingStartEvent
        members: tuple[Part | Pair, ...] = tuple(parts)
        if is_mapping:
            members = tuple(_pair(key, value) for key, value in zip(parts[::2], parts[1::2], strict=True))
        flow = bool(event.flow_style)
        at = self._offset(event.start_mark)
        column, line = event.start_mark.column, event.start_mark.line
        if not flow and is_mapping and parts:  # an anchor may stand on the line above
            column, line = parts[0].at - self.starts[parts[0].line], parts[0].line
        last = self._offset(end.end_mark) if flow else parts[-1].end
        return Group(
            at=at,
            end=last,
            line=line,
            end_line=end.end_mark.line if flow else parts[-1].end_line,
            column=column,
            mapping=is_mapping,
            flow=flow,
            properties=self._properties(at, (event.anchor is not None) + (event.tag is not None)),
            members=members,
        )

    def _properties(self, at: int, count: int) -> str:
        found = []
        for _ in range(count):
            match = _PROPERTY.match(self.text, at)
            if match is None:
                break
            found.append(match.group(1))
            at = match.end()
        return " ".join(found)

    def _offset(self, mark: Any) -> int:
        line = min(int(mark.line), len(self.starts) - 1)
        return min(self.starts[line] + int(mark.column), len(self.text))

    def _line_of(self, at: int, end: int) -> int:
        """Return the last line on which a value has a character: a block scalar ends at the start of the next."""
        last = end - 1 if self.text[at:end].endswith("\n") else end
        return bisect_right(self.starts, max(at, last)) - 1

    def comments(self) -> Iterator[Comment]:
        """Yield the comments: they stand between the values, never in one but after the sign of a block scalar."""
        before, line, counted = 0, 0, 0
        for at, end in [*((leaf.at, leaf.end) for leaf in self.leaves), (len(self.text), len(self.text))]:
            for match in _IN_GAP.finditer(self.text, before, at):
                if match.group().startswith("#"):
                    line += self.text.count("\n", counted, match.start())
                    counted = match.start()
                    column = match.start() - self.starts[line]
                    alone = not self.lines[line][:column].strip()
                    yield Comment(at=match.start(), line=line, column=column, text=match.group().rstrip(), alone=alone)
            before = max(before, end)


def _pair(key: Part, value: Part) -> Pair:
    if isinstance(key, Group):
        raise TypeError("a key is a collection: `parse_text` refuses that")
    return Pair(key=key, value=value)
