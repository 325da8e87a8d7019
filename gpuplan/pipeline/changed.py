"""Compiling two fleets only where they can differ: what a plan rests on.

A cluster whose narrowed fleet is the same on both sides has the same objects and texts, so it is compiled on neither. After a
change of one line that is all clusters but one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplan.emit.texts import NO_TEXTS, Texts
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.digest import Digester
from gpuplan.model.fleet import Fleet
from gpuplan.model.scope import only
from gpuplan.pipeline.clusters import Compiled, Footprint, compiled, joined, shared
from gpuplan.pipeline.weights import workers_for
from gpuplan.pipeline.workers import each

NO_PART_OF_OUTPUT = frozenset(("catalog", "places", "quota"))
"""Fields that no digest covers: but for its cards, the catalogue is gpuplan's own; places only say where in `fleet/` a thing is;
and the quota tree is worked out from the flavors and cohorts beside it."""


def digests(fleet: Fleet, digester: Digester | None = None) -> dict[str, str]:
    """Return a digest of all that each cluster's objects and texts are made from, by the cluster's name.

    It says nothing of the files of `fleet/` that headers name, nor of the version of gpuplan.
    """
    digester = digester or Digester(NO_PART_OF_OUTPUT)
    cards = digester.digest(fleet.catalog.cards)  # the spec can add some
    return {cluster.name: digester.digest((only(fleet, cluster), cards)) for cluster in fleet.clusters}


def render_changed(old: Fleet, new: Fleet, texts: Texts = NO_TEXTS) -> tuple[ManifestSet, ManifestSet]:
    """Compile both fleets without the clusters whose output is the same on both sides.

    What clusters share is in both sets; where it is the same, as far as it concerns the clusters that are there. So the sets
    differ exactly as those of the whole fleets do. Both fleets have no errors; nothing is validated.
    """
    digester = Digester(NO_PART_OF_OUTPUT)
    before, after = digests(old, digester), digests(new, digester)
    sides = tuple(
        [compiled(fleet, cluster, texts) for cluster in fleet.clusters if own[cluster.name] != other.get(cluster.name)]
        for fleet, own, other in ((old, before, after), (new, after, before))
    )
    hubs = _shared(old, new, sides, texts)
    first, second = (joined(side, hub) for side, hub in zip(sides, hubs, strict=True))
    return first, second


def _shared(old: Fleet, new: Fleet, sides: tuple[list[Compiled], ...], texts: Texts) -> tuple[ManifestSet, ManifestSet]:
    """Return what clusters share on both sides.

    Whether it is the same can be seen without the other clusters' footprints (see `clusters.shared`); how it differs cannot.
    """
    first, second = (shared(fleet, _footprints(side), texts) for fleet, side in zip((old, new), sides, strict=True))
    if _content(first) == _content(second):
        return first, second
    touched = {one.cluster for side in sides for one in side}
    rest = [cluster for cluster in new.clusters if cluster.name not in touched]
    found = each(lambda cluster: compiled(new, cluster, texts).footprint, rest, workers_for(rest, None))
    others = {cluster.name: one for cluster, one in zip(rest, found, strict=True)}
    first, second = (
        shared(fleet, {**others, **_footprints(side)}, texts) for fleet, side in zip((old, new), sides, strict=True)
    )
    return first, second


def _footprints(side: Iterable[Compiled]) -> Mapping[str, Footprint]:
    return {one.cluster: one.footprint for one in side}


def _content(made: ManifestSet) -> object:
    return {path: one.object for path, one in made.placed.items()}, {one.path: one.text for one in made.texts}
