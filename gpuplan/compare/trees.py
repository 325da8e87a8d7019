"""What differs between two folders of manifests, object by object.

Files that are the same byte by byte are not read further. In trees of ours an object belongs to the cluster whose folder it
is in; elsewhere its kind and name are all.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, cast

from gpuplan.compare.change import Change, Plain
from gpuplan.compare.walk import compare
from gpuplan.diagnostics import has_errors
from gpuplan.output.index import INDEX_FILE
from gpuplan.output.scan import EntryKind, scan
from gpuplan.source.yamltext import parse_text

_YAML: Final = (".yaml", ".yml", ".json")
_CLUSTERS: Final = "clusters"
_SECRET: Final = re.compile(r"""["']?kind["']?\s*:\s*["']?Secret(List)?(?![\w-])""")
"""A Secret in a text that is no YAML of objects: a chart's template, a list in JSON, a file with the marks of a conflict."""


class Fate(enum.Enum):
    """What became of an object or a file."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Ref(NamedTuple):
    """By what an object is known in a tree. A document that is no object has no cluster and kind, and its file as its name."""

    cluster: str
    api_version: str
    kind: str
    namespace: str
    name: str
    number: int = 0
    """Counts documents of one file that are no objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDiff:
    """An object that only one side has, or that differs; `file` is that of the new side if there is one."""

    ref: Ref
    fate: Fate
    file: str
    old: Mapping[str, Plain] | None
    new: Mapping[str, Plain] | None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiff:
    """A file that holds no objects and differs; `lines` are those of a unified diff, none for what is no text."""

    file: str
    fate: Fate
    lines: tuple[str, ...]
    secret: bool = False
    """Whether it seems to hold a Secret; then it has no lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDiff:
    """What differs between two trees, in the order of clusters, kinds and names, and of files."""

    objects: tuple[ObjectDiff, ...]
    texts: tuple[TextDiff, ...]
    same_meaning: tuple[str, ...]
    """Files that differ in their text and not in what they say."""

    @property
    def is_empty(self) -> bool:
        """Whether both sides say the same."""
        return not self.objects and not self.texts


class _Found(NamedTuple):
    """An object and the file it stands in."""

    file: str
    value: Mapping[str, Plain]


_Side: TypeAlias = defaultdict[Ref, list[_Found]]


def diff_trees(old: Path, new: Path, only: Collection[str] | None = None) -> TreeDiff:
    """Compare two folders, or two files. A side that does not exist is empty. Raises OSError for what cannot be read.

    `only` are the files that may differ, if that is known: others are not looked at.
    """
    sides = _files(old, only), _files(new, only)
    ours = any((root / INDEX_FILE).is_file() for root in (old, new))
    objects: tuple[_Side, _Side] = (defaultdict(list), defaultdict(list))
    texts: list[TextDiff] = []
    differing: list[str] = []
    for file in sorted((sides[0].keys() | sides[1].keys()) - {INDEX_FILE}):
        before, after = (side[file].read_bytes() if file in side else None for side in sides)
        if before == after:
            continue
        documents = values_of(file, before), values_of(file, after)
        if documents[0] is None or documents[1] is None:
            texts.append(_text(file, before, after))
            continue
        differing.append(file)
        for found, side in zip(documents, objects, strict=True):
            _collect(side, file, found or (), ours=ours)
    changed = [(diff, pair) for pair in _pairs(*objects) if (diff := _difference(*pair)) is not None]
    touched = {one.file for _, (_, *pair) in changed for one in pair if one is not None}
    return TreeDiff(
        objects=tuple(diff for diff, _ in changed),
        texts=tuple(texts),
        same_meaning=tuple(file for file in differing if file not in touched),
    )


def _files(root: Path, only: Collection[str] | None) -> dict[str, Path]:
    """Return the files below a folder, or the one file under an empty name. Links are not followed."""
    if root.is_file():
        return {"": root}
    if only is not None:
        return {file: root / file for file in only if (root / file).is_file() and not (root / file).is_symlink()}
    found = (path for path, entry in scan(root).items() if entry.kind is EntryKind.FILE)
    return {path: root / path for path in found if not path.startswith(".git/") and "/.git/" not in path}


def values_of(file: str, content: bytes | None) -> tuple[Mapping[str, Plain], ...] | None:
    """Return the documents of a file, by its name; none where there is no file, None where it is no YAML of mappings."""
    if content is None:
        return ()
    if file and not file.endswith(_YAML):
        return None
    try:
        parsed = parse_text(file, content.decode())
    except UnicodeDecodeError:
        return None
    return None if has_errors(parsed.findings) else tuple(document.plain() for document in parsed.documents)


def _collect(side: _Side, file: str, documents: tuple[Mapping[str, Plain], ...], *, ours: bool) -> None:
    """Take in the objects of a file."""
    parts = file.split("/")
    cluster = parts[1] if ours and len(parts) > 2 and parts[0] == _CLUSTERS else ""
    for number, document in enumerate(_unpacked(documents)):
        side[_ref(document, cluster) or Ref("", "", "", "", file, number)].append(_Found(file, document))


def _unpacked(documents: tuple[Mapping[str, Plain], ...]) -> Iterator[Mapping[str, Plain]]:
    """Yield each document, and of a List of kubectl what it holds; items of a SecretList and its like need not say their kind."""
    for document in documents:
        items, kind = document.get("items"), str(document.get("kind", ""))
        if kind.endswith("List") and isinstance(items, list):
            said = (
                {"apiVersion": document.get("apiVersion"), "kind": kind.removesuffix("List")} if kind != "List" else {}
            )
            yield from ({**said, **item} for item in items if isinstance(item, Mapping))
        else:
            yield document


def _ref(document: Mapping[str, Plain], cluster: str) -> Ref | None:
    metadata = document.get("metadata")
    if not isinstance(metadata, Mapping):
        return None
    words = (document.get("apiVersion"), document.get("kind"), metadata.get("namespace", ""), metadata.get("name"))
    return Ref(cluster, *cast("tuple[str, str, str, str]", words)) if all(isinstance(w, str) for w in words) else None


def _pairs(old: _Side, new: _Side) -> Iterator[tuple[Ref, _Found | None, _Found | None]]:
    """Yield what belongs together. Where a tree holds an object more than once, its file tells, then the order."""
    for ref in sorted(old.keys() | new.keys()):
        left, right = old.get(ref, []), new.get(ref, [])
        common = {one.file for one in left} & {one.file for one in right}
        first, second = (sorted(side, key=lambda one: (one.file not in common, one.file)) for side in (left, right))
        for before, after in zip_longest(first, second):
            yield ref, before, after


def _difference(ref: Ref, before: _Found | None, after: _Found | None) -> ObjectDiff | None:
    if before is None and after is not None:
        return ObjectDiff(ref=ref, fate=Fate.ADDED, file=after.file, old=None, new=after.value)
    if after is None and before is not None:
        return ObjectDiff(ref=ref, fate=Fate.REMOVED, file=before.file, old=before.value, new=None)
    if before is None or after is None:
        return None
    changes = compare(before.value, after.value)
    sides = before.value, after.value
    made = ObjectDiff(ref=ref, fate=Fate.CHANGED, file=after.file, old=sides[0], new=sides[1], changes=changes)
    return made if changes else None


def _text(file: str, old: bytes | None, new: bytes | None) -> TextDiff:
    fate = Fate.ADDED if old is None else Fate.REMOVED if new is None else Fate.CHANGED
    try:
        sides = [(content or b"").decode() for content in (old, new)]
    except UnicodeDecodeError:
        sides = ["", ""]
    if any(_SECRET.search(side) for side in sides):
        return TextDiff(file=file, fate=fate, lines=(), secret=True)
    return TextDiff(file=file, fate=fate, lines=line_diff(*sides))


def line_diff(old: str, new: str) -> tuple[str, ...]:
    """Return the lines of a unified diff without its head."""
    found = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return tuple(found)[2:]
