"""A render of some clusters only: their files anew, everything else of ours as the tree holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gpuplan.diagnostics import Diagnostic
from gpuplan.output.files import OutputFile
from gpuplan.output.plan import previous_index


def only(root: Path, files: Iterable[OutputFile], clusters: Sequence[str]) -> Iterable[OutputFile]:
    """Return the files of a whole tree in which only the named clusters are new; without names, the files as they are.

    Files of other clusters keep what is on disk. Those that every cluster shares (Argo CD's) are new where the tree does not
    have them yet, and stay as they are otherwise.
    """
    return _only(root, files, clusters) if clusters else files


def _only(root: Path, files: Iterable[OutputFile], clusters: Sequence[str]) -> Iterator[OutputFile]:
    previous = previous_index(root)
    kept = {} if isinstance(previous, Diagnostic) else dict(previous.sources)
    for file in files:
        owner = _owner(file.path)
        if owner in clusters or (not owner and file.path not in kept):
            kept.pop(file.path, None)
            yield file
    for path, sources in kept.items():
        if _owner(path) not in clusters and (root / path).is_file():
            yield OutputFile(path, (root / path).read_bytes(), sources)


def _owner(path: str) -> str:
    """Return the cluster that a file belongs to; empty for those that all share."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top in ("clusters", "provisioner") else ""
