"""Steps done to a text in place: only what changes is touched, and the rest is proved to be as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Steps
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostics, Severity, Span
from gpuplan.format import findings
from gpuplan.format.migrations import ANY, RemoveItems, RenameValue, Step
from gpuplan.source.document import Document, Mapping, Mark, Node, Plain, Scalar, Sequence
from gpuplan.source.layout import lay_out
from gpuplan.source.yamltext import parse_text

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A stretch of text and what stands there instead; `told` says it in words."""

    start: int
    end: int
    text: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """A file's new text, None where it cannot be had; what was changed, each in a line; what speaks against it."""

    text: str | None
    changes: tuple[str, ...]
    findings: Diagnostics


def migrated(file: str, text: str, steps: Steps[Step]) -> Migrated:
    """Do the steps to the text of a file. A text with errors is not touched."""
    parsed = parse_text(file, text)
    errors = tuple(one for one in parsed.findings if one.severity is Severity.ERROR)
    if errors:
        return Migrated(text=None, changes=(), findings=errors)
    page = _Page(text)
    edits = sorted(
        (edit for document in parsed.documents for step in steps for edit in page.edits(document, step)),
        key=lambda edit: edit.start,
    )
    made = _edited(text, edits)
    expected = [_expected(document.plain(), steps) for document in parsed.documents]
    if edits and not (_says(file, made, expected) and _keeps_comments(text, made, edits)):
        summary = f"{file} is left as it is: the new text was not proved to say the same"
        found = findings.UNPROVED.found(summary, at=Span(file, 1, 1, 1, 1))
        return Migrated(text=None, changes=(), findings=(found,))
    return Migrated(text=made, changes=tuple(edit.told for edit in edits), findings=())


def _edited(text: str, edits: Steps[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


class _Page:
    """A text whose places are asked for by line and column."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def edits(self, document: Document, step: Step) -> Iterator[Edit]:
        """Yield what a step changes in one document."""
        if isinstance(step, RenameValue):
            yield from self._renames(document.root, step)
        elif isinstance(document.root.get(step.section), Sequence):
            yield from self._removals(document.root, step)

    def _renames(self, root: Mapping, step: RenameValue) -> Iterator[Edit]:
        for node in _nodes(root, step.path):
            start, end = self._offset(node.start), self._offset(node.end)
            at = self._text.find(step.old, start, end)
            if isinstance(node, Scalar) and node.value == step.old and at >= 0:
                told = f"line {node.span.line}: {step.old} is {step.new} now: {step.why}"
                yield Edit(start=at, end=at + len(step.old), text=step.new, told=told)

    def _removals(self, root: Mapping, step: RemoveItems) -> Iterator[Edit]:
        entry = root.entries[step.section]
        items = entry.value.items if isinstance(entry.value, Sequence) else ()
        going = [item for item in items if step.hits(item.plain())]
        told = [f"line {item.span.line}: this entry of `{step.section}` can go: {step.why}" for item in going]
        if going and len(going) == len(items):
            yield self._whole(root, step.section, "; ".join(told))
            return
        in_brackets = self._text.startswith("[", self._offset(entry.value.start))
        for item, line in zip(going, told, strict=True):
            start, end = self._beside(items, item, step) if in_brackets else self._lines(entry.value, item)
            yield Edit(start=start, end=end, text="", told=line)

    def _whole(self, root: Mapping, section: str, told: str) -> Edit:
        """Take a section out with its lines; where nothing else would be left, or it shares a line, its list is emptied."""
        entry = root.entries[section]
        alone = len(root.entries) == 1 or self._text.startswith("{", self._offset(root.start))
        if alone:
            start, end, text = self._offset(entry.key.end), self._offset(entry.value.end), ": []"
            return Edit(start=start, end=end, text=text, told=told)
        start = self._starts[entry.key.start.line]
        return Edit(start=start, end=self._line_after(entry.value), text="", told=told)

    def _lines(self, whole: Node, item: Node) -> tuple[int, int]:
        """Return the lines of an item of a block list, from its dash on."""
        line = item.start.line
        while not self._text.startswith("-", self._starts[line] + whole.start.column):
            line -= 1
        return self._starts[line], self._line_after(item)

    def _line_after(self, node: Node) -> int:
        """Return where the line after the last one of a value begins."""
        ended = self._text[: self._offset(node.end)].endswith("\n")
        line = node.end.line + (not ended)
        return self._starts[line] if line < len(self._starts) else len(self._text)

    def _beside(self, items: Steps[Node], item: Node, step: RemoveItems) -> tuple[int, int]:
        """Return the stretch of an item in brackets with one of its commas: before an item that stays, else behind one."""
        number = items.index(item)
        if any(not step.hits(later.plain()) for later in items[number + 1 :]):
            return self._offset(item.start), self._offset(items[number + 1].start)
        return self._offset(items[number - 1].end), self._offset(item.end)

    def _offset(self, mark: Mark) -> int:
        return min(self._starts[min(mark.line, len(self._starts) - 1)] + mark.column, len(self._text))


def _nodes(node: Node | None, path: tuple[str, ...]) -> Iterator[Node]:
    if node is None:
        return
    if not path:
        yield node
    elif path[0] != ANY:
        yield from _nodes(node.get(path[0]) if isinstance(node, Mapping) else None, path[1:])
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _nodes(item, path[1:])
    elif isinstance(node, Mapping):
        for entry in node:
            yield from _nodes(entry.value, path[1:])


def _expected(data: dict[str, Plain], steps: Steps[Step]) -> dict[str, Plain]:
    """Do the steps to data, independently of any text; a list that becomes empty stands for one that is not there."""
    for step in steps:
        if isinstance(step, RenameValue):
            _rename(data, step.path, step)
        elif isinstance(items := data.get(step.section), list):
            data[step.section] = [item for item in items if not step.hits(item)]
    return data


def _rename(data: Plain, path: tuple[str, ...], step: RenameValue) -> None:
    head, *rest = path
    below: list[tuple[str | int, Plain]] = []
    if isinstance(data, dict):
        below = [(key, value) for key, value in data.items() if head in (ANY, key)]
    elif isinstance(data, list) and head == ANY:
        below = list(enumerate(data))
    for key, value in below:
        if rest:
            _rename(value, tuple(rest), step)
        elif value == step.old:
            data[key] = step.new  # type: ignore[index]  # the key is one of this very collection


def _says(file: str, text: str, expected: list[dict[str, Plain]]) -> bool:
    """Tell whether a text reads as data: equal, in the same order, types included; empty lists do not count."""
    parsed = parse_text(file, text)
    if any(one.severity is Severity.ERROR for one in parsed.findings):
        return False
    return [_shape(document.plain()) for document in parsed.documents] == [_shape(data) for data in expected]


def _shape(data: dict[str, Plain]) -> str:
    return repr({key: value for key, value in data.items() if value != []})


def _keeps_comments(before: str, after: str, edits: Steps[Edit]) -> bool:
    """Tell whether all comments are there in their order, but for those within what was taken out."""
    plain = [_LINE_END.sub("\n", text) for text in (before, after)]
    old, new = (lay_out(text).comments for text in plain)
    cut = [range(_unix(before, edit.start), _unix(before, edit.end)) for edit in edits]
    left = [comment.text for comment in old if not any(comment.at in stretch for stretch in cut)]
    return left == [comment.text for comment in new]


def _unix(text: str, at: int) -> int:
    """Return an offset as it is once every line ends in one character."""
    return at - text.count("\r\n", 0, at)
