"""One file to the values that it holds, as plain data that can go from one process to another."""

from __future__ import annotations

import enum
import marshal
import os
import pickle
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuplan.diagnostics import Diagnostic
from gpuplan.inventory.items import Format
from gpuplan.inventory.reading.patched import PATCH_LISTS, Patch, listed_patches
from gpuplan.inventory.reading.recognise import CHARTS, format_of, is_counters, is_object
from gpuplan.inventory.reading.templates import holds_template, is_templated, is_unfilled, is_unnamed, lies_in_chart
from gpuplan.source.files import STDIN, File, read_text, shown_name
from gpuplan.source.findings import BINARY, NOT_UTF8
from gpuplan.source.pieces import Piece, Values, moved_finding, pieces, values_of


class PassedOver(enum.Enum):
    """Why something was not looked at; the value is for people."""

    TEMPLATE = "template"
    PATCH = "file or patch of kustomize"
    UNRELATED = "document of another program"
    NO_TEXT = "file that is no text"
    BROKEN_LINK = "link that leads nowhere"


@dataclass(frozen=True, slots=True)
class Document:
    """One value: its piece of the file, its number in the piece, and what it is: a format, or None for an object."""

    piece: Piece
    index: int
    value: object
    format: Format | None


@dataclass(slots=True)
class FileRead:
    """What one file gave."""

    documents: list[Document] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    passed_over: Counter[PassedOver] = field(default_factory=Counter)
    patches: list[str] = field(default_factory=list)
    """Files that a kustomization applies as patches: parts of objects, not objects."""
    listed: list[Patch] = field(default_factory=list)
    """Patches that a kustomization holds itself."""


_MEANT: Final = re.compile(
    r"^[\s{\"'-]*(?:apiVersion|kind|mig-configs|sharing|devicePlugin|migManager|dcgmExporter)[\"']?\s*:", re.MULTILINE
)
"""A line that tells a broken text for one of ours."""
_KUSTOMIZE: Final = "kustomize.config.k8s.io/"
_OWN_SPEC: Final = "gpuplan.dev/"


def read_one(file: File, as_format: Format | None, stdin: bytes = b"") -> FileRead:
    """Read one file."""
    read = FileRead()
    text = read_text(file, stdin)
    name = shown_name(file.path)
    if isinstance(text, Diagnostic):
        if text.rule in (NOT_UTF8.id, BINARY.id) and not file.named:
            read.passed_over[PassedOver.NO_TEXT] += 1
        else:
            read.findings.append(text)
    elif as_format is Format.COUNTERS or (as_format is None and _is_list(file.path, text)):
        read.documents.append(Document(Piece(name, text), 0, text, Format.COUNTERS))
    elif file.path.lower().endswith(".csv"):
        read.passed_over[PassedOver.UNRELATED] += 1
    elif "{{" in text and file.path != STDIN and lies_in_chart(file.path):
        read.passed_over[PassedOver.TEMPLATE] += 1
    else:
        for piece in pieces(name, text):
            _piece(read, piece, as_format, named=file.named)
    return read


def _is_list(path: str, text: str) -> bool:
    """Tell whether a file is a list of counters; YAML may hold one in a block."""
    ending = os.path.splitext(path)[1].lower()  # noqa: PTH122 - speed
    return ending not in (".yaml", ".yml", ".json") and is_counters(text) and not _MEANT.search(text)


def _piece(read: FileRead, piece: Piece, as_format: Format | None, *, named: bool) -> None:
    given = values_of(piece.file, piece.text)
    is_template = holds_template(piece.text)
    if is_template and is_unfilled(piece.text, given):
        read.passed_over[PassedOver.TEMPLATE] += 1
        return
    before = len(read.documents)
    for index, value in enumerate(given.values):
        reason = _passed_over(value, is_template=is_template)
        kind = None if reason else _format(value, piece, as_format)
        if reason is None and kind is None and not _is_object(value) and not _holds_charts(value):
            reason = PassedOver.UNRELATED
        if reason is not None:
            read.passed_over[reason] += 1
            if reason is PassedOver.PATCH and isinstance(value, Mapping):
                read.patches += _patches(value, piece.file)
                read.listed += listed_patches(value)
        else:
            read.documents.append(Document(piece, index, value, kind))
    if given.findings and (len(read.documents) > before or _is_ours(given, piece, as_format, named=named)):
        read.findings += [moved_finding(finding, piece.moved) for finding in given.findings]


def _is_ours(given: Values, piece: Piece, as_format: Format | None, *, named: bool) -> bool:
    """Tell whether a text that gave nothing was meant for us, so that its faults are worth a word."""
    return given.broken and (named or as_format is not None or _MEANT.search(piece.text) is not None)


def _passed_over(value: object, *, is_template: bool) -> PassedOver | None:
    if not isinstance(value, Mapping):
        return PassedOver.UNRELATED
    version = value.get("apiVersion")
    if isinstance(version, str):
        if version.startswith(_KUSTOMIZE):
            return PassedOver.PATCH
        if version.startswith(_OWN_SPEC):
            return PassedOver.UNRELATED
    if version is None and "kind" not in value and ("kustomization" in value or _is_kustomization(value)):
        return PassedOver.PATCH
    return PassedOver.TEMPLATE if is_unnamed(value) or (is_template and is_templated(value)) else None


def _is_kustomization(value: Mapping[str, object]) -> bool:
    """A kustomization need not say what it is."""
    return "resources" in value and value.keys() <= _KUSTOMIZATION


_KUSTOMIZATION: Final = frozenset(
    [
        *("resources", "bases", "components", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "images"),
        *("commonAnnotations", "configMapGenerator", "secretGenerator", "generatorOptions", "replacements", "replicas"),
        *("helmCharts", "helmGlobals", "transformers", "generators", "crds", "vars", "configurations", "openapi"),
        *("buildMetadata", "sortOptions", "metadata", *PATCH_LISTS),
    ]
)  # fmt: skip


def _patches(value: object, file: str) -> list[str]:
    """Return the files that a kustomization applies as patches, by the names that they are shown by."""
    folder = file.rpartition("/")[0]
    found = []
    for key in PATCH_LISTS:
        listed = value.get(key) if isinstance(value, Mapping) else None
        for one in listed if isinstance(listed, list) else ():
            path = one.get("path") if isinstance(one, Mapping) else one
            if isinstance(path, str) and "\n" not in path:
                found.append(os.path.normpath(f"{folder}/{path}" if folder else path).replace(os.sep, "/"))
    return found


def _format(value: object, piece: Piece, as_format: Format | None) -> Format | None:
    if _is_object(value):
        return format_of(value) if as_format is None else None
    return as_format or format_of(value, _hint(piece))


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and is_object(value)


def _holds_charts(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(name), Mapping) for name in CHARTS)


def _hint(piece: Piece) -> str:
    """Return what the path and the comments above the text say of it."""
    comments = [line for line in piece.text[:2000].split("\n") if line.startswith("#")]
    return " ".join([*piece.file.split("/")[-3:], *comments]).lower()


def packed(reads: Sequence[FileRead]) -> bytes:
    """Write what files gave in the form that goes from process to process with the least work."""
    documents = [
        [
            (one.piece.file, one.piece.text, one.piece.lines, one.index, one.value, one.format and one.format.name)
            for one in read.documents
        ]
        for read in reads
    ]
    rest = [(read.findings, read.passed_over, read.patches, read.listed) for read in reads]
    return marshal.dumps((documents, [pickle.dumps(one) if any(one) else b"" for one in rest]))


def unpacked(data: bytes) -> Iterator[FileRead]:
    """Yield what was packed."""
    documents, rest = marshal.loads(data)  # noqa: S302 - what another process of ours has just written
    for own, others in zip(documents, rest, strict=True):
        read = FileRead(*([], *pickle.loads(others)) if others else ())  # noqa: S301 - as above
        read.documents += [
            Document(Piece(file, text, lines), index, value, Format[kind] if kind else None)
            for file, text, lines, index, value, kind in own
        ]
        yield read
