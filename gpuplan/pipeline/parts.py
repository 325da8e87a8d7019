"""The parts of the output: one for each cluster, and one for what clusters share.

A part is all that becomes of a cluster: its files, what is wrong with them, what they were made from, and its footprint in the
shared part. It is made by a function of the cluster alone, so parts can be made in any order, in any process, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpuplan.diagnostics import Diagnostics, KeyPath, Span, ordered
from gpuplan.emit.texts import NO_TEXTS, Texts
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Cluster, Fleet, Places
from gpuplan.model.scope import only
from gpuplan.output import KeptFile, OutputFile, rendered_files
from gpuplan.pipeline.clusters import NOTHING, Footprint, compiled, joined, shared
from gpuplan.pipeline.second_look import second_look
from gpuplan.source.objects import read_object
from gpuplan.validate import immutable, leaving, references, relabel, schemas, upgrades

SHARED = ""
"""The name of the part of all clusters."""

Asked = Mapping[str, tuple[KeyPath, ...]]
"""The entries of the spec that files name as their origin, by the file of `fleet/` that each stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Render:
    """What is rendered: a fleet without errors, the folder of its spec as spans name it, and the tree that it goes to."""

    fleet: Fleet
    fleet_dir: str
    root: Path
    texts: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the output."""

    name: str
    """The cluster, or `SHARED`."""
    files: tuple[OutputFile | KeptFile, ...]
    """All of them kept where the part was not made anew; there are then no findings."""
    findings: Diagnostics
    """Faults of ours in its objects, and what the step from the tree's objects to them would do."""
    asked: Asked
    footprint: Footprint | str
    """Text, as it is remembered, where the part is kept: most often nobody reads it."""


class _Asking:
    """Places that remember for which entries they were asked."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._files: dict[KeyPath, str] = {}

    def key(self, path: KeyPath) -> Span:
        span = self._places.key(path)
        self._files[path] = span.file
        return span

    def value(self, path: KeyPath) -> Span:
        """Refuse: a part must not depend on what it does not ask for by `key`."""
        raise NotImplementedError(path)

    def plain(self) -> Mapping[str, Any]:
        """Refuse likewise: parts are made from the resolved fleet."""
        raise NotImplementedError

    @property
    def asked(self) -> Asked:
        found: dict[str, list[KeyPath]] = {}
        for path, file in self._files.items():
            found.setdefault(file, []).append(path)
        return {file: tuple(paths) for file, paths in found.items()}


def of_cluster(render: Render, cluster: Cluster) -> Part:
    """Make the part of a cluster."""
    places = _Asking(render.fleet.places)
    made = compiled(replace(render.fleet, places=places), cluster, render.texts)
    manifests = joined((made,), None)
    alone = only(render.fleet, cluster)
    # References may lead to what charts make: they are in the applications that the cluster gets in the shared part.
    installed = shared(alone, {cluster.name: made.footprint}, NO_TEXTS)
    files = tuple(rendered_files(manifests, render.fleet_dir))
    old = _old(render.root, files)
    found = (
        *schemas.violations(manifests),
        *references.dangling(ManifestSet.of((*manifests, *installed))),
        *second_look(cluster, made.manifests),
        *immutable.refused(manifests, old),
        *upgrades.refused(render.fleet, manifests, old),
        *relabel.needed(alone, old),
    )
    return Part(name=cluster.name, files=files, findings=ordered(found), asked=places.asked, footprint=made.footprint)


def of_fleet(render: Render, footprints: Mapping[str, Footprint]) -> Part:
    """Make the part that clusters share, from the footprints of all of them."""
    places = _Asking(render.fleet.places)
    manifests = shared(replace(render.fleet, places=places), footprints, render.texts)
    files = tuple(rendered_files(manifests, render.fleet_dir))
    old = _old(render.root, files)
    found = (
        *schemas.violations(manifests),
        *immutable.refused(manifests, old),
        *upgrades.refused(render.fleet, manifests, old),
        *leaving.left_behind(render.fleet, manifests, old),
    )
    return Part(name=SHARED, files=files, findings=ordered(found), asked=places.asked, footprint=NOTHING)


def _old(root: Path, files: tuple[OutputFile, ...]) -> Callable[[str], Mapping[str, object] | None]:
    """Return how to get the object that the tree holds in a file now; None where it holds the same as it will."""
    content = {file.path: file.content for file in files}

    def old(path: str) -> Mapping[str, object] | None:
        try:
            changed = (root / path).read_bytes() != content[path]
        except OSError:
            return None
        return read_object(root / path) if changed else None

    return old
