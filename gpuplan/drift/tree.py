"""A rendered tree as drift reads it: by its index, and what lies beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gpuplan.cluster.drifting import Name, name_of
from gpuplan.diagnostics import Diagnostic
from gpuplan.manifests.set import HUB_AREA
from gpuplan.output.index import sha256
from gpuplan.output.plan import previous_index
from gpuplan.output.scan import EntryKind, scan

_CLUSTERS = "clusters"
_YAML = (".yaml", ".yml")


class Placed(NamedTuple):
    """An object and the cluster that it is for; None for Argo CD's."""

    cluster: str | None
    object: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The objects that the index lists, by file, and the files that are not as they were rendered."""

    objects: Mapping[str, Placed]
    edited: tuple[str, ...]
    lost: tuple[str, ...]
    """Files that are listed and hold no object."""

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that have objects, sorted."""
        return tuple(sorted({one.cluster for one in self.objects.values() if one.cluster}))


Reader = Callable[[Path], Mapping[str, Any] | None]
"""Returns the object in a file; None where it holds none."""


def read(root: Path, reader: Reader) -> Tree | Diagnostic:
    """Read the objects of a tree; a finding where its index makes no sense."""
    index = previous_index(root)
    if isinstance(index, Diagnostic):
        return index
    objects: dict[str, Placed] = {}
    edited: list[str] = []
    lost: list[str] = []
    for file in sorted(index.hashes):
        if not _is_object(file):
            continue
        made = _named(reader(root / file))
        if made is None:
            lost.append(file)
            continue
        objects[file] = Placed(_cluster(file), made)
        if sha256((root / file).read_bytes()) != index.hashes[file]:
            edited.append(file)
    return Tree(objects=objects, edited=tuple(edited), lost=tuple(lost))


def unlisted(root: Path, reader: Reader, tree: Tree, cluster: str | None) -> frozenset[Name]:
    """Return the objects that others keep in the folder of a cluster: Argo CD syncs them, too."""
    folder = f"{_CLUSTERS}/{cluster}" if cluster else HUB_AREA
    found = (path for path, entry in scan(root / folder).items() if entry.kind is EntryKind.FILE)
    files = (file for path in found if (file := f"{folder}/{path}") not in tree.objects and file.endswith(_YAML))
    return frozenset(name_of(made) for file in files if (made := _named(reader(root / file))) is not None)


def _is_object(file: str) -> bool:
    return file.endswith(_YAML) and file.split("/", maxsplit=1)[0] in (_CLUSTERS, HUB_AREA)


def _cluster(file: str) -> str | None:
    parts = file.split("/")
    return parts[1] if parts[0] == _CLUSTERS else None


def _named(made: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return what a file holds if it is an object that has a kind and a name."""
    metadata = made.get("metadata") if made else None
    if made is None or not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        return None
    return made if all(isinstance(made.get(key), str) for key in ("apiVersion", "kind")) else None
