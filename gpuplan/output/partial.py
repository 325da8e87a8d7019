"""A render of some clusters only, or of one shard: their files anew, everything else of ours as the tree holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuplan.diagnostics import Diagnostic, Diagnostics
from gpuplan.output import findings
from gpuplan.output.files import KeptFile, OutputFile
from gpuplan.output.index import Index, sha256
from gpuplan.output.plan import previous_index

APPLICATIONS = "argocd/application-"
"""How the files of Argo CD's applications begin; each is named after its cluster."""

FOLDERS_BY_CLUSTER = ("clusters", "prometheus", "provisioner", "runbooks")
"""Folders of the output with a folder for each cluster."""


def only(
    root: Path, files: Iterable[OutputFile | KeptFile], clusters: Sequence[str]
) -> tuple[tuple[OutputFile | KeptFile, ...], Diagnostics]:
    """Return the files of a whole tree in which only the named clusters are new; without names, the files as they are.

    Files of other clusters keep what the last render wrote; one that somebody edited is a finding. Those that all clusters
    share (Argo CD's projects) are new where the tree does not have them yet, and stay otherwise.
    """
    files = tuple(files)
    if not clusters:
        return files, ()
    previous = previous_index(root)
    if isinstance(previous, Diagnostic):
        return (), (previous,)
    owner = _Owners({*clusters, *map(_folder, (*previous.hashes, *(file.path for file in files)))})
    fresh = [
        file
        for file in files
        if owner.of(file.path) in clusters or (not owner.of(file.path) and file.path not in previous.hashes)
    ]
    paths = {file.path for file in fresh}
    kept = [path for path in previous.hashes if path not in paths and owner.of(path) not in clusters]
    found = [_kept(root, path, previous) for path in kept]
    edited = tuple(item for item in found if isinstance(item, Diagnostic))
    return (*fresh, *(item for item in found if isinstance(item, OutputFile))), edited


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The part of a tree that one of several runs looks after."""

    clusters: frozenset[str]
    fleet: frozenset[str]
    """All clusters of the fleet."""
    with_shared: bool
    """Whether all that belongs to none of them is in it, such as Argo CD's objects and files of clusters that have left."""

    def has(self, path: str) -> bool:
        """Tell whether a file is in it. Of the shares of a fleet exactly one has a path."""
        cluster = _folder(path)
        return cluster in self.clusters or (self.with_shared and cluster not in self.fleet)


def share_of(
    root: Path, files: Iterable[OutputFile | KeptFile], share: Share, *, look: bool
) -> tuple[tuple[OutputFile | KeptFile, ...], Diagnostics]:
    """Return the files of a whole tree in which those of a share, which are given, are new.

    The others stay as the last render wrote them: with `look`, one that somebody edited is a finding; without, it is left to
    the run that has it in its share.
    """
    previous = previous_index(root)
    if isinstance(previous, Diagnostic):
        return (), (previous,)
    others = [path for path in previous.hashes if not share.has(path)]
    if not look:
        kept = (KeptFile(path, previous.hashes[path], previous.sources[path], elsewhere=True) for path in others)
        return (*files, *kept), ()
    found = [_kept(root, path, previous) for path in others]
    edited = tuple(item for item in found if isinstance(item, Diagnostic))
    return (*files, *(item for item in found if isinstance(item, OutputFile))), edited


def lacks(root: Path, files: Iterable[OutputFile | KeptFile]) -> bool:
    """Tell whether any of the files is not in the tree's index yet."""
    previous = previous_index(root)
    return not isinstance(previous, Diagnostic) and any(file.path not in previous.hashes for file in files)


def _kept(root: Path, path: str, previous: Index) -> OutputFile | Diagnostic:
    """Return a file as the last render wrote it, or a finding where it is not what it was."""
    try:
        content = (root / path).read_bytes()
    except OSError:
        content = b""
    if sha256(content) != previous.hashes[path]:
        return findings.HAND_EDITED.found(f"{root / path} was changed by hand", at=findings.at_file(root / path))
    return OutputFile(path, content, previous.sources[path])


def _folder(path: str) -> str:
    """Return the cluster whose folder a file is in; empty where it is in none."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top in FOLDERS_BY_CLUSTER else ""


class _Owners:
    """Which cluster a file belongs to: by its folder, or, for Argo CD's applications, by the end of its name."""

    def __init__(self, clusters: Iterable[str]) -> None:
        self.longest_first = sorted(filter(None, clusters), key=len, reverse=True)

    def of(self, path: str) -> str:
        """Return the cluster; empty for what all clusters share."""
        if not path.startswith(APPLICATIONS):
            return _folder(path)
        return next((name for name in self.longest_first if path.endswith(f"-{name}.yaml")), "")
