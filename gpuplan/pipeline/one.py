"""Compiling one cluster alone, where nobody needs the others."""

from __future__ import annotations

from gpuplan.diagnostics import Diagnostics, ordered
from gpuplan.emit.texts import NO_TEXTS
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.pipeline.clusters import compiled, joined, shared
from gpuplan.pipeline.second_look import second_look
from gpuplan.validate import validate


def render_cluster(fleet: Fleet, cluster: Cluster) -> tuple[tuple[Manifest, ...], Diagnostics]:
    """Return the objects of a cluster of a fleet without errors, sorted, and what is wrong with them: a fault of ours.

    They are the same as in a render of the whole fleet.
    """
    part = compiled(fleet, cluster, NO_TEXTS)
    hub = shared(fleet, {cluster.name: part.footprint}, NO_TEXTS)
    manifests = joined([part], hub)
    found = (*validate(manifests), *second_look(cluster, part.manifests))
    return manifests.in_cluster(cluster.name), ordered(found)
