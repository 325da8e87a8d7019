"""The whole output, part by part: which parts are kept, which are made, and what is remembered of them.

A part is kept where the last render of this gpuplan made it from the same inputs and the tree's index is still that render's.
Its files are then neither compiled nor written, and read only where their stamp has changed; an edited one is found as ever.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuplan.diagnostics import Diagnostics, KeyPath, ordered
from gpuplan.emit.texts import NO_TEXTS
from gpuplan.model.digest import Digester
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.scope import NO_DAY
from gpuplan.output import KeptFile, OutputFile, WriteReport
from gpuplan.output.index import INDEX_FILE, Index, read_index, sha256
from gpuplan.pipeline.changed import NO_PART_OF_OUTPUT, digests
from gpuplan.pipeline.clusters import Footprint, Progress, compiled
from gpuplan.pipeline.memory import UNKNOWN, Memory, RememberedPart, footprint_of, recall, text_of
from gpuplan.pipeline.parts import SHARED, Part, Render, of_cluster, of_fleet
from gpuplan.pipeline.program import program
from gpuplan.pipeline.shards import Shard, members
from gpuplan.pipeline.weights import workers_for
from gpuplan.pipeline.workers import each

Files = tuple[OutputFile | KeptFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The last render of a tree, as far as it is known and still stands."""

    program: str
    parts: Mapping[str, RememberedPart]
    index: Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The parts of the output that were asked for, by name."""

    parts: Mapping[str, Part]
    inputs: Mapping[str, str]
    """Digest of what each part was made from; empty where nothing is to be remembered."""

    @property
    def files(self) -> Files:
        """All files, part by part."""
        return tuple(file for part in self.parts.values() for file in part.files)

    @property
    def findings(self) -> Diagnostics:
        """All that is wrong with them."""
        return ordered(found for part in self.parts.values() for found in part.findings)


def last_render(render: Render, memory: Path) -> Last:
    """Return what is remembered of a tree; nothing of it where it is not that of this gpuplan, this folder and this index."""
    us, known = program(), recall(memory)
    if known is not None and (known.program, known.fleet_dir) == (us, render.fleet_dir):
        index = (render.root / INDEX_FILE).read_bytes() if (render.root / INDEX_FILE).is_file() else b""
        if sha256(index) == known.index:
            return Last(program=us, parts=known.parts, index=read_index(index))
    return Last(program=us, parts={}, index=Index({}))


def whole(render: Render, last: Last | None, jobs: int | None, progress: Progress) -> Rendered:
    """Make or keep every part; without `last`, nothing is kept, and nothing can be remembered."""
    inputs = _inputs(render.fleet) if last else {}
    kept = dict(_kept(render, last, inputs)) if last else {}
    todo = [cluster for cluster in render.fleet.clusters if cluster.name not in kept]
    made = {part.name: part for part in _made(render, todo, jobs, progress)}
    parts = {cluster.name: made.get(cluster.name) or kept[cluster.name] for cluster in render.fleet.clusters}
    if todo or SHARED not in kept:
        kept[SHARED] = of_fleet(render, _footprints(parts))
    return Rendered(parts={**parts, SHARED: kept[SHARED]}, inputs=inputs)


def some(
    render: Render, clusters: Sequence[Cluster], needs: Callable[[Files], bool], jobs: int | None, progress: Progress
) -> Rendered:
    """Make the parts of some clusters, and what all share.

    The other clusters are compiled for their footprints only if that part `needs` to be whole. It is first made without them:
    then it has all its files, and all of them right but for those that tell of several clusters.
    """
    parts = {part.name: part for part in _made(render, clusters, jobs, progress)}
    footprints = _footprints(parts)
    shared = of_fleet(render, footprints)
    if needs(shared.files):
        others = [cluster for cluster in render.fleet.clusters if cluster.name not in parts]
        workers = workers_for(others, jobs)
        found = each(lambda cluster: compiled(render.fleet, cluster, NO_TEXTS).footprint, others, workers)
        footprints |= {cluster.name: one for cluster, one in zip(others, found, strict=True)}
        shared = of_fleet(render, footprints)
    return Rendered(parts={**parts, SHARED: shared}, inputs={})


def sharded(render: Render, shard: Shard, jobs: int | None, progress: Progress) -> Rendered:
    """Make the parts of a shard."""
    own = members(render.fleet.clusters, shard)
    if shard.has_shared:
        return some(render, own, lambda _: True, jobs, progress)
    return Rendered(parts={part.name: part for part in _made(render, own, jobs, progress)}, inputs={})


def _footprints(parts: Mapping[str, Part]) -> dict[str, Footprint]:
    return {
        name: footprint_of(part.footprint) if isinstance(part.footprint, str) else part.footprint
        for name, part in parts.items()
    }


def _made(render: Render, clusters: Sequence[Cluster], jobs: int | None, progress: Progress) -> Iterable[Part]:
    workers = workers_for(clusters, jobs)
    for number, part in enumerate(each(lambda cluster: of_cluster(render, cluster), clusters, workers), start=1):
        progress(part.name, number, len(clusters))
        yield part


def _inputs(fleet: Fleet) -> dict[str, str]:
    """Return a digest of all that each part is made from, but for the places of entries that it asks for."""
    digester = Digester(NO_PART_OF_OUTPUT)
    of_all = replace(fleet, suppressions=(), today=NO_DAY)
    return {**digests(fleet, digester), SHARED: digester.digest((of_all, fleet.catalog.cards))}


def _kept(render: Render, last: Last, inputs: Mapping[str, str]) -> Iterable[tuple[str, Part]]:
    """Yield the parts that would come out the same, as the tree holds them."""
    file_of = functools.cache(lambda path: render.fleet.places.key(path).file)
    for name, part in last.parts.items():
        if inputs.get(name) == part.inputs and _asks_the_same(file_of, part):
            files = tuple(
                KeptFile(path, last.index.hashes[path], last.index.sources[path], stamp)
                for path, stamp in part.stamps.items()
            )
            yield name, Part(name=name, files=files, findings=(), asked=part.asked, footprint=part.footprint)


def _asks_the_same(places: Callable[[KeyPath], str], part: RememberedPart) -> bool:
    """Tell whether every entry that the part names as an origin still stands in its file."""
    return all(places(path) == file for file, paths in part.asked.items() for path in paths)


def memory_of(render: Render, rendered: Rendered, last: Last, report: WriteReport) -> Memory:
    """Return what to remember of a tree that was written."""
    parts = {
        name: RememberedPart(
            inputs=rendered.inputs[name],
            asked=part.asked,
            stamps={file.path: report.stamps.get(file.path, UNKNOWN) for file in part.files},
            footprint=part.footprint if isinstance(part.footprint, str) else text_of(part.footprint),
        )
        for name, part in rendered.parts.items()
    }
    return Memory(program=last.program, fleet_dir=render.fleet_dir, index=report.index, parts=parts)
