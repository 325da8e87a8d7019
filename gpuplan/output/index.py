"""`rendered/.gpuplan.json`: what gpuplan wrote, so that it never touches anything else.

One line a file, so that two branches merge and a diff stays short. It is the only file that names gpuplan's version,
and it lies outside every folder that Argo CD reads.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from gpuplan.output.files import KeptFile, OutputFile

INDEX_FILE = ".gpuplan.json"
FORMAT_VERSION = 1
_PLAIN = re.compile(r"[a-z0-9/._-]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class IndexFormatError(Exception):
    """The text is no index of a format that we read. Never leaves `output`: it becomes a finding."""


@dataclass(frozen=True, slots=True)
class Index:
    """What gpuplan wrote, by path below `rendered/`: the SHA-256 of each file, and the spec files it was made from."""

    hashes: Mapping[str, str]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version: str = ""
    """The gpuplan that wrote it; empty where it does not say."""


def sha256(content: bytes) -> str:
    """Return the hash as the index holds it."""
    return hashlib.sha256(content).hexdigest()


def index_text(files: Iterable[OutputFile | KeptFile], version: str) -> str:
    """Return the index of these files, by path, as JSON."""
    sources: dict[tuple[str, ...], str] = {}
    entries: list[str] = []
    for file in sorted(files, key=attrgetter("path")):
        source = sources.get(file.sources) or sources.setdefault(file.sources, json.dumps(file.sources))
        digest = file.sha256 if isinstance(file, KeptFile) else sha256(file.content)
        entries.append(f'    {_quoted(file.path)}: {{"sha256": "{digest}", "source": {source}}}')
    listing = "{\n" + ",\n".join(entries) + "\n  }" if entries else "{}"
    head = f'  "formatVersion": {FORMAT_VERSION},\n  "gpuplan": {json.dumps(version)},\n'
    return f'{{\n{head}  "files": {listing}\n}}\n'


def _quoted(path: str) -> str:
    """Return a path as JSON has it; nearly all stand for themselves, and are not looked at letter by letter."""
    return f'"{path}"' if _PLAIN.fullmatch(path) else json.dumps(path)


@functools.lru_cache(maxsize=1)  # a render looks at the old one before it works and when it writes
def read_index(text: bytes) -> Index:
    """Read an index. Raises IndexFormatError, also for a path that would lead out of the tree."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise IndexFormatError(f"it is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("formatVersion") != FORMAT_VERSION:
        found = data.get("formatVersion") if isinstance(data, dict) else None
        raise IndexFormatError(f"its format version is {found!r}, and this gpuplan reads {FORMAT_VERSION}")
    files = data.get("files")
    if not isinstance(files, dict):
        raise IndexFormatError("it lists no files")
    hashes = {path: _hash(path, entry) for path, entry in files.items()}
    version = data.get("gpuplan")
    sources = {path: _sources(entry) for path, entry in files.items()}
    return Index(hashes, sources, version if isinstance(version, str) else "")


def _sources(entry: object) -> tuple[str, ...]:
    sources = entry.get("source") if isinstance(entry, dict) else None
    return tuple(source for source in sources if isinstance(source, str)) if isinstance(sources, list) else ()


def _hash(path: str, entry: object) -> str:
    if not _stays_inside(path):
        raise IndexFormatError(f"it lists {path!r}, which is no path inside the tree")
    digest = entry.get("sha256") if isinstance(entry, dict) else None
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        raise IndexFormatError(f"it holds no hash of {path!r}")
    return digest


def _stays_inside(path: str) -> bool:
    parts = path.split("/")
    return path != INDEX_FILE and "\0" not in path and "\\" not in path and not {"", ".", ".."} & set(parts)
