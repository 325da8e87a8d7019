"""Files to the objects and configurations that they hold."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gpuplan.diagnostics import Diagnostic, Diagnostics, ordered
from gpuplan.inventory.items import Config, Format, Item, Object
from gpuplan.inventory.places import TextPlaces, text_node
from gpuplan.inventory.reading.documents import Parsed, PiecePlaces
from gpuplan.inventory.reading.embedded import read_inner, subcharts
from gpuplan.inventory.reading.patched import Patch, written_patch
from gpuplan.inventory.reading.recognise import CHARTS, format_of, is_object
from gpuplan.inventory.reading.templates import chart_in
from gpuplan.inventory.reading.texts import Document, FileRead, PassedOver, packed, read_one, unpacked
from gpuplan.source.files import STDIN, File, find_files
from gpuplan.source.pieces import Piece
from gpuplan.source.sharing_out import Carrier, shared_out
from gpuplan.source.yamltext import collector_paused


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What files gave."""

    objects: tuple[Object, ...]
    configs: tuple[Config, ...]
    findings: Diagnostics
    passed_over: Mapping[PassedOver, int] = field(default_factory=dict)
    """How many documents and files were not looked at, by the reason."""
    patches: tuple[Patch, ...] = ()
    """What kustomize would still change in the objects."""


def read_paths(
    paths: Iterable[Path], as_format: Format | None = None, *, stdin: Callable[[], bytes] | None = None
) -> Read:
    """Read files, and the files below folders; `-` is what `stdin` gives.

    `as_format` is the format of every document that is no Kubernetes object, where its content does not tell it.
    """
    found = find_files(map(str, paths))
    given = b""
    if any(file.path == STDIN for file in found.files):
        given = (stdin or sys.stdin.buffer.read)()
    with collector_paused():
        carrier = Carrier(pack=packed, unpack=unpacked)
        files = list(shared_out(partial(_read, as_format, given), found.files, carrier))
        return _gathered(files, found.findings, found.broken_links)


def _read(as_format: Format | None, stdin: bytes, file: File) -> FileRead:
    return read_one(file, as_format, stdin if file.path == STDIN else b"")


def _gathered(files: list[FileRead], findings: Iterable[Diagnostic], broken_links: int) -> Read:
    """Put together what single files gave, without those that are patches of others."""
    patches = {patch for one in files for patch in one.patches}
    passed: Counter[PassedOver] = Counter({PassedOver.BROKEN_LINK: broken_links})
    listed = [patch for one in files for patch in one.listed]
    items: list[Object | Config] = []
    for one in files:
        passed.update(one.passed_over)
        for document in one.documents:
            if document.piece.file in patches:
                passed[PassedOver.PATCH] += 1
                listed += written_patch(document.value)
            else:
                items += _items(document)
    objects = tuple(one for one in items if isinstance(one, Object))
    configs = tuple(one for one in items if isinstance(one, Config))
    inner = [thing for holder in (*objects, *configs) for thing in read_inner(holder)]
    said = (*findings, *(finding for one in files for finding in one.findings))
    counts = {reason: count for reason, count in passed.items() if count}
    return Read(
        objects=objects,
        configs=(*configs, *(one for one in inner if isinstance(one, Config))),
        findings=ordered((*said, *(one for one in inner if isinstance(one, Diagnostic)))),
        passed_over=counts,
        patches=tuple(dict.fromkeys(listed)),
    )


_OF_CHARTS = frozenset(CHARTS.values())


def _items(document: Document) -> Iterator[Object | Config]:
    if isinstance(document.value, str):
        yield Config(document.value, _text_places(document.piece), format=Format.COUNTERS)
        return
    places = PiecePlaces(Parsed(document.piece), document.index)
    if document.format is None:
        is_one = isinstance(document.value, Mapping) and is_object(document.value)
        yield from _listed(document.value, places) if is_one else subcharts(Item(document.value, places))
        return
    beside = CHARTS.get(chart_in(str(Path(document.piece.file).parent))) if document.format in _OF_CHARTS else None
    own = beside is not None and beside is document.format
    values = Config(document.value, places, format=document.format, of_own_chart=own)
    yield values
    yield from subcharts(values)


def _text_places(piece: Piece) -> TextPlaces:
    return TextPlaces(lambda: text_node(piece.file, piece.text), piece.file, piece.text)


def _listed(value: object, places: PiecePlaces) -> Iterator[Object | Config]:
    """Yield an object, or the objects of a list; of `kind: NodeList` the items need not say their kind."""
    if not isinstance(value, Mapping):
        return
    kind, inside = value.get("kind"), value.get("items")
    if not (isinstance(kind, str) and kind.endswith("List") and isinstance(inside, list)):
        yield Object(value, places)
        return
    for index, item in enumerate(inside):
        if not isinstance(item, Mapping):
            continue
        said = {} if kind == "List" else {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix("List")}
        one = {**said, **item}
        below = PiecePlaces(places.parsed, places.index, (*places.prefix, "items", index))
        known = format_of(one)
        if known is not None:
            yield Config(one, below, format=known)
        elif is_object(one):
            yield from _listed(one, below)
