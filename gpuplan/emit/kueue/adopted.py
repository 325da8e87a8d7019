"""Objects that stay as they were: their bodies as the spec has them, under our labels and in the waves of their kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from gpuplan import conventions
from gpuplan.emit.base import FLAVORS, LOCAL_QUEUES, PRIORITY, QUEUES, Area, manifest, metadata, namespaced
from gpuplan.manifests.kinds import KubeObject
from gpuplan.manifests.set import Manifest
from gpuplan.model.adopted import AdoptedObject
from gpuplan.model.fleet import Cluster, Fleet

AREAS: Mapping[str, Area] = {
    "Topology": FLAVORS,
    "ResourceFlavor": FLAVORS,
    "Cohort": QUEUES,
    "ClusterQueue": QUEUES,
    "LocalQueue": LOCAL_QUEUES,
    "WorkloadPriorityClass": PRIORITY,
    "PriorityClass": PRIORITY,
}
"""Kind -> its area."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the adopted objects of a cluster."""
    for one in cluster.adopted.objects:
        area = AREAS[one.kind]
        made = {**one.manifest, "metadata": _metadata(one, area)}
        yield manifest(fleet, cluster, area, cast("KubeObject", made), one.path)


def _metadata(one: AdoptedObject, area: Area) -> object:
    if one.namespace:
        return namespaced(one.name, one.namespace, area)
    return metadata(one.name, area, labels={conventions.LABEL_TEAM: one.team} if one.team else None)
