"""From objects to files: the text of each, its header, and the spec files it came from."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from gpuplan.diagnostics import Origin
from gpuplan.manifests.set import Manifest, ManifestSet, TextFile
from gpuplan.manifests.write import header, object_text
from gpuplan.output.scan import Stamp


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file below `rendered/`: its path with `/`, its bytes, and the files of `fleet/` that it was made from."""

    path: str
    content: bytes
    sources: tuple[str, ...]


class KeptFile(NamedTuple):
    """A file that stays as the last render wrote it, known by its hash (SHA-256, hexadecimal) instead of its bytes."""

    path: str
    sha256: str
    sources: tuple[str, ...]
    stamp: Stamp | None = None
    """Under which it had these bytes; a file that has another one now is read."""
    elsewhere: bool = False
    """Whether another run looks after it: then nobody here looks at it, not even whether it is there."""


def rendered_files(manifests: ManifestSet, fleet_dir: str) -> Iterator[OutputFile]:
    """Make the file of each object and text, in the order of the set.

    `fleet_dir` is the spec's folder as the spans name it. Headers say `fleet/` whatever it is called, so that the
    output is the same on every machine.
    """
    for path, manifest in manifests.placed.items():
        sources = _sources(manifest, fleet_dir)
        yield OutputFile(path, (header(sources) + object_text(manifest.object)).encode(), sources)
    for text in manifests.texts:
        sources = _sources(text, fleet_dir)
        yield OutputFile(text.path, ((header(sources) if text.commented else "") + text.text).encode(), sources)


def _sources(made: Manifest | TextFile, fleet_dir: str) -> tuple[str, ...]:
    return tuple(sorted({_as_fleet_file(origin.span.file, fleet_dir) for origin in _origins(made)}))


def _origins(made: Manifest | TextFile) -> Iterable[Origin]:
    return (made.origin, *made.also)


@functools.lru_cache(maxsize=4096)  # a few files are the origin of all that is written
def _as_fleet_file(file: str, fleet_dir: str) -> str:
    path = PurePath(file)
    try:
        return f"fleet/{path.relative_to(fleet_dir).as_posix()}"
    except ValueError:
        return path.as_posix()
