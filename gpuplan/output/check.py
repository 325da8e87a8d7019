"""Whether the tree on disk is the render of the fleet, without writing a byte: `gpuplan render --check`."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpuplan.diagnostics import Diagnostic
from gpuplan.output.files import KeptFile, OutputFile
from gpuplan.output.index import INDEX_FILE, index_text
from gpuplan.output.plan import previous_index
from gpuplan.output.scan import read_file


class Staleness(enum.Enum):
    """How a file differs from the render."""

    MISSING = "missing"
    CHANGED = "changed"
    ORPHAN = "orphan"
    """The index lists it and the fleet no longer makes it."""


@dataclass(frozen=True, slots=True, order=True)
class Stale:
    """A file of ours that a render would write or remove; `path` is below the tree's root."""

    path: str
    staleness: Staleness


def check_tree(root: Path, files: Iterable[OutputFile | KeptFile], *, version: str) -> tuple[Stale, ...]:
    """Return what a render would change, sorted by path; nothing means that the tree is fresh.

    Neither files that the index does not list are looked at, nor kept ones. Raises OSError where the tree cannot be read.
    """
    outputs = tuple(files)
    content = {file.path: file.content for file in outputs if isinstance(file, OutputFile)}
    content[INDEX_FILE] = index_text(outputs, version).encode()
    stale = [Stale(path, state) for path, wanted in content.items() if (state := _state(f"{root}/{path}", wanted))]
    previous = previous_index(root)
    if not isinstance(previous, Diagnostic):
        orphans = previous.hashes.keys() - {file.path for file in outputs}
        stale += [Stale(path, Staleness.ORPHAN) for path in orphans if (root / path).exists()]
    return tuple(sorted(stale, key=lambda file: file.path))


def _state(path: str, wanted: bytes) -> Staleness | None:
    try:
        found = read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return Staleness.MISSING
    except IsADirectoryError:
        return Staleness.CHANGED
    return None if found == wanted else Staleness.CHANGED
