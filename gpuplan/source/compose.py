"""Parser events to nodes, in one pass and without recursion, so that deep nesting cannot exhaust the stack."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from gpuplan.diagnostics import Diagnostic, Related, Span
from gpuplan.rulebook import RuleDoc
from gpuplan.source import findings
from gpuplan.source.aliases import ALIAS_STYLE, Repeats
from gpuplan.source.document import Entry, Mapping, Mark, Node, Scalar, Sequence
from gpuplan.source.scalars import CORE_TAGS, MAY_BE_NO_STRING, TAG_PREFIX, resolve_plain, resolve_tagged

NextEvent = Callable[[], Any]
"""Gives the next parser event, or None at the end. The events are PyYAML's, whose marks its stubs leave optional."""


class TooDeepError(Exception):
    """Nesting went past `MAX_DEPTH` at `mark`: the document is given up. Never leaves `gpuplan.source`."""

    def __init__(self, mark: Mark) -> None:
        super().__init__(mark)
        self.mark = mark


class Composer:
    """Builds the documents of one file and notes in `found` what is wrong with their content."""

    may_be_no_string = MAY_BE_NO_STRING
    versions: tuple[tuple[int, int], ...] = ((1, 2),)
    """Versions of YAML that a directive may ask for."""
    max_depth = findings.MAX_DEPTH

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self._anchors: dict[str, Node | OpenCollection] = {}
        self._repeats = Repeats()
        self._limit_noted = False
        self._stack: list[OpenCollection] = []

    @property
    def open_bracket(self) -> Mark | None:
        """Where the innermost `[` or `{` stands that is still open, after the parser gave up."""
        marks = [collection.event.start_mark for collection in self._stack if collection.event.flow_style]
        return marks[-1] if marks else None

    def documents(self, next_event: NextEvent) -> Iterator[Node]:
        """Yield the top node of each document.

        Raises `TooDeepError`, and whatever the parser raises for text that is not YAML.
        """
        while (event := next_event()) is not None:
            if event.__class__ is DocumentStartEvent:
                if event.version is not None and event.version not in self.versions:
                    version = ".".join(map(str, event.version))
                    self._note(findings.YAML_VERSION, f"the directive asks for YAML {version}", event)
                self._anchors, self._repeats, self._limit_noted = {}, Repeats(), False
                root = self._document(next_event)
                next_event()  # the end of the document; raises when more text follows, and then nothing is handed out
                yield root

    def _document(self, next_event: NextEvent) -> Node:
        """Build one document from the events after its start, up to the end of its top node."""
        file, may_be_no_string = self.file, self.may_be_no_string
        roots: list[Node] = []
        add: Callable[[Node], None] = roots.append
        stack = self._stack = []
        while not roots:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                text, style = event.value, event.style
                if event.tag is None and event.anchor is None and (style or text[:1] not in may_be_no_string):
                    add(Scalar(file, event.start_mark, event.end_mark, text, text, style))
                else:
                    add(self._scalar(event))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if len(stack) == self.max_depth:
                    raise TooDeepError(event.start_mark)
                stack.append(self._open(event))
                add = stack[-1].add
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                node = self._close(stack.pop(), event)
                add = stack[-1].add if stack else roots.append
                add(node)
            elif kind is AliasEvent:
                add(self._alias(event, len(stack)))
        return roots[0]

    def _scalar(self, event: Any) -> Scalar:
        text: str = event.value
        value: Any = text
        if event.tag is not None:
            value = self._tagged(event.tag, event)
        elif not event.style:
            value = resolve_plain(text)
        if value.__class__ is float and not math.isfinite(value):
            self._note(findings.NUMBER_RANGE, f"{short(text)} is not a number that a cluster can hold", event)
            value = text
        node = Scalar(self.file, event.start_mark, event.end_mark, value, text, event.style)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _tagged(self, tag: str, event: Any) -> Any:
        value, fits = resolve_tagged(tag, event.value)
        if not fits:
            self._wrong_tag(tag, short(event.value), event)
        return value

    def _wrong_tag(self, tag: str, what: str, event: Any) -> None:
        if tag in CORE_TAGS:
            self._note(findings.TAG_MISMATCH, f"{what} does not fit its tag {shown_tag(tag)}", event)
        else:
            self._note(findings.UNKNOWN_TAG, f"unknown tag {shown_tag(tag)}", event)

    def _open(self, event: Any) -> OpenCollection:
        is_mapping = event.__class__ is MappingStartEvent
        if event.tag not in (None, "!", TAG_PREFIX + ("map" if is_mapping else "seq")):
            self._wrong_tag(event.tag, "a mapping" if is_mapping else "a list", event)
        collection = (OpenMapping if is_mapping else OpenSequence)(event, self.file, self.found)
        if event.anchor is not None:
            self._anchors[event.anchor] = collection
        return collection

    def _close(self, collection: OpenCollection, event: Any) -> Node:
        node = collection.close(event.end_mark)
        anchor = collection.event.anchor
        if anchor is not None and self._anchors[anchor] is collection:
            self._anchors[anchor] = node
        return node

    def _alias(self, event: Any, depth: int) -> Node:
        """Return the anchored node itself, or for a scalar a copy that stands where the alias stands."""
        node = self._anchors.get(event.anchor)
        if isinstance(node, Scalar):
            return Scalar(self.file, event.start_mark, event.end_mark, node.value, node.text, node.style)
        if node is None:
            self._note(findings.UNKNOWN_ANCHOR, f"no anchor &{event.anchor} in this document before this place", event)
        elif isinstance(node, OpenCollection):
            self._note(findings.RECURSIVE_ALIAS, f"*{event.anchor} stands inside the value that it repeats", event)
        elif depth + self._repeats.measure(node)[1] > self.max_depth:
            raise TooDeepError(event.start_mark)
        elif self._repeats.fits(node):
            return node
        elif not self._limit_noted:
            self._limit_noted = True
            self._note(findings.ALIAS_LIMIT, f"*{event.anchor} repeats more values than one document may", event)
        return Scalar(self.file, event.start_mark, event.end_mark, None, "", ALIAS_STYLE)

    def _note(self, rule: RuleDoc, summary: str, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        span = Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        self.found.append(rule.found(summary, at=span))


class OpenCollection:
    """A list or mapping whose end has not been seen yet."""

    __slots__ = ("event", "file", "found")

    def __init__(self, event: Any, file: str, found: list[Diagnostic]) -> None:
        self.event = event
        self.file = file
        self.found = found

    def add(self, node: Node) -> None:
        """Take the next node."""
        raise NotImplementedError

    def close(self, end: Mark) -> Node:
        """Return the finished node; `end` is where the parser noticed the end."""
        raise NotImplementedError

    def _end(self, noticed: Mark, last: Node | None) -> Mark:
        """A block collection ends with its last value: the parser notices only at the next token, lines later."""
        return last.end if last is not None and not self.event.flow_style else noticed


class OpenSequence(OpenCollection):
    """A list whose end has not been seen yet."""

    __slots__ = ("items",)

    def __init__(self, event: Any, file: str, found: list[Diagnostic]) -> None:
        super().__init__(event, file, found)
        self.items: list[Node] = []

    def add(self, node: Node) -> None:
        """Take the next item."""
        self.items.append(node)

    def close(self, end: Mark) -> Sequence:
        """Return the list."""
        last = self.items[-1] if self.items else None
        return Sequence(self.file, self.event.start_mark, self._end(end, last), tuple(self.items))


class OpenMapping(OpenCollection):
    """A mapping whose end has not been seen yet."""

    __slots__ = ("entries", "key", "last")

    def __init__(self, event: Any, file: str, found: list[Diagnostic]) -> None:
        super().__init__(event, file, found)
        self.entries: dict[str, Entry] = {}
        self.key: Node | None = None
        self.last: Node | None = None

    def add(self, node: Node) -> None:
        """Take the next key, or the value of the last one."""
        key = self.key
        if key is None:
            self.key = node
            return
        self.key = None
        self.last = node
        if (
            key.__class__ is not Scalar
            or key.value.__class__ is not str
            or key.text in self.entries
            or key.text == "<<"
        ):
            self._add_with_care(key, node)
        else:
            self.entries[key.text] = Entry(key, node)

    def _add_with_care(self, key: Node, node: Node) -> None:
        """Add an entry whose key may be at fault; a key that only lacks its quotes is taken as the string it shows."""
        if not isinstance(key, Scalar):
            self._note(findings.COMPLEX_KEY, "a key must be a string, and this one is a collection", key)
            return
        if key.text == "<<" and not key.style:
            self._note(findings.MERGE_KEY, "the merge key << is no part of YAML 1.2", key)
            return
        name = key.text
        if key.style == ALIAS_STYLE or (name == "" and not key.style):
            self._note(findings.NON_STRING_KEY, "a key is missing before this `:`", key)
            return
        if key.value.__class__ is not str:
            self._note(
                findings.NON_STRING_KEY, f"the key {name} is {_kind(key)}, not a string", key, f'Write "{name}".'
            )
        first = self.entries.get(name)
        if first is None:
            self.entries[name] = Entry(key, node)
            return
        also = (Related("first defined here", first.key_span),)
        self.found.append(findings.DUPLICATE_KEY.found(f"key {short(name)} stands twice", at=key.span, also=also))

    def close(self, end: Mark) -> Mapping:
        """Return the mapping."""
        return Mapping(self.file, self.event.start_mark, self._end(end, self.last), self.entries)

    def _note(self, rule: RuleDoc, summary: str, key: Node, fix: str | None = None) -> None:
        self.found.append(rule.found(summary, at=key.span, fix=fix))


def _kind(key: Scalar) -> str:
    if key.value is None:
        return "null"
    return "a boolean" if isinstance(key.value, bool) else "a number"


def short(text: str) -> str:
    """Quote a value for a message, at most 40 characters of it and on one line."""
    shown = " ".join(text.split())
    return f"`{shown if len(shown) <= 40 else shown[:37] + '...'}`"


def shown_tag(tag: str) -> str:
    """Quote a tag for a message, in its short form."""
    return short("!!" + tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else tag)
