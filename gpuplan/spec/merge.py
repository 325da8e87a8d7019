"""Join the documents of `fleet/` into one tree, and fill in its `defaults:`.

Any document may hold any part of the spec. Sections are joined entry by entry and lists one after the other; the same
entry twice is a finding that shows both places, never a silent win of the later one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostic, Diagnostics, KeyPath, Related, Span
from gpuplan.source.document import Document, Entry, Mapping, Node, Plain, Sequence
from gpuplan.spec import findings
from gpuplan.spec.fleet import DEFAULTABLE

REPEATABLE = ("apiVersion", "kind")
"""Keys that every document may state, as Kubernetes users expect."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Where every value of the merged spec stands. Implements `gpuplan.model.fleet.Places`."""

    tree: Document

    def key(self, path: KeyPath) -> Span:
        """Return the span of the last key of the path, or of its closest ancestor."""
        return self.tree.span_at(path)

    def value(self, path: KeyPath) -> Span:
        """Return the span of the value at the path, or of its closest ancestor."""
        return self.tree.span_at(path, key=False)

    def plain(self) -> dict[str, Plain]:
        """Return the whole spec as plain data, defaults filled in."""
        return self.tree.root.plain()


def merge(documents: Iterable[Document]) -> tuple[Mapping, Diagnostics]:
    """Join documents in the given order: entries stand where the first of their name stood. At least one document."""
    documents = tuple(documents)
    first = documents[0].root
    found: list[Diagnostic] = []
    parts: dict[str, list[Entry]] = {}
    for document in documents:
        for name, entry in document.root.entries.items():
            parts.setdefault(name, []).append(entry)
    entries = {name: _joined(name, own, found) for name, own in parts.items()}
    return Mapping(first.file, first.start, first.end, entries), tuple(found)


def _joined(name: str, parts: list[Entry], found: list[Diagnostic]) -> Entry:
    """Join all values of one top-level key to the first one, in one pass: there may be thousands of files."""
    first, *others = parts
    value = first.value
    entries = dict(value.entries) if isinstance(value, Mapping) else {}
    items = list(value.items) if isinstance(value, Sequence) else []
    for other in others:
        more = other.value
        if isinstance(value, Mapping) and isinstance(more, Mapping):
            twice = more.entries.keys() & entries.keys()
            found.extend(
                _repeated(f"{name}.{key}", entries[key], more.entries[key]) for key in more.entries if key in twice
            )
            entries |= {key: entry for key, entry in more.entries.items() if key not in twice}
        elif isinstance(value, Sequence) and isinstance(more, Sequence):
            items.extend(more.items)
        elif name not in REPEATABLE or value.plain() != more.plain():
            found.append(_repeated(name, first, other))
    if isinstance(value, Mapping) and others:
        return Entry(first.key, Mapping(value.file, value.start, value.end, entries))
    if isinstance(value, Sequence) and others:
        return Entry(first.key, Sequence(value.file, value.start, value.end, tuple(items)))
    return first


def _repeated(name: str, first: Entry, second: Entry) -> Diagnostic:
    return findings.DUPLICATE_NAME.found(
        f"`{name}` is defined twice",
        at=second.key_span,
        also=(Related("first defined here", first.key_span),),
    )


def fill_defaults(root: Mapping) -> Mapping:
    """Give every entry of a section the keys of its `defaults:` that it lacks. Shallow: a key is taken whole or not."""
    defaults = root.get("defaults")
    if not isinstance(defaults, Mapping):
        return root
    entries = dict(root.entries)
    for kind, (section, _) in DEFAULTABLE.items():
        given, target = defaults.get(kind), root.entries.get(section)
        if isinstance(given, Mapping) and target is not None and isinstance(target.value, Mapping):
            entries[section] = Entry(target.key, _filled(target.value, given))
    return Mapping(root.file, root.start, root.end, entries)


def _filled(section: Mapping, given: Mapping) -> Mapping:
    def fill(node: Node) -> Node:
        if not isinstance(node, Mapping):
            return node
        return Mapping(node.file, node.start, node.end, {**given.entries, **node.entries})

    filled = {name: Entry(entry.key, fill(entry.value)) for name, entry in section.entries.items()}
    return Mapping(section.file, section.start, section.end, filled)
