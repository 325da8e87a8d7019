"""A render of some clusters only: their files anew, everything else of ours as the tree holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gpuplan.diagnostics import Diagnostic, Diagnostics
from gpuplan.output import findings
from gpuplan.output.files import OutputFile
from gpuplan.output.index import Index, sha256
from gpuplan.output.plan import previous_index


def only(
    root: Path, files: Iterable[OutputFile], clusters: Sequence[str]
) -> tuple[tuple[OutputFile, ...], Diagnostics]:
    """Return the files of a whole tree in which only the named clusters are new; without names, the files as they are.

    Files of other clusters keep what the last render wrote; one that somebody edited is a finding. Those that all clusters
    share (Argo CD's) are new where the tree does not have them yet, and stay otherwise.
    """
    files = tuple(files)
    if not clusters:
        return files, ()
    previous = previous_index(root)
    if isinstance(previous, Diagnostic):
        return (), (previous,)
    fresh = [
        file
        for file in files
        if _owner(file.path) in clusters or (not _owner(file.path) and file.path not in previous.hashes)
    ]
    paths = {file.path for file in fresh}
    kept = [path for path in previous.hashes if path not in paths and _owner(path) not in clusters]
    found = [_kept(root, path, previous) for path in kept]
    edited = tuple(item for item in found if isinstance(item, Diagnostic))
    return (*fresh, *(item for item in found if isinstance(item, OutputFile))), edited


def _kept(root: Path, path: str, previous: Index) -> OutputFile | Diagnostic:
    """Return a file as the last render wrote it, or a finding where it is not what it was."""
    try:
        content = (root / path).read_bytes()
    except OSError:
        content = b""
    if sha256(content) != previous.hashes[path]:
        return findings.HAND_EDITED.found(f"{root / path} was changed by hand", at=findings.at_file(root / path))
    return OutputFile(path, content, previous.sources[path])


def _owner(path: str) -> str:
    """Return the cluster that a file belongs to; empty for those that all share."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top in ("clusters", "provisioner") else ""
