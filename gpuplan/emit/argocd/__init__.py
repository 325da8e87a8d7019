"""Argo CD: who may sync what, one Application for each cluster, and one for each program that gpuplan installs in it.

Allow lists are exact: no `*`, no kind that gpuplan does not render, no namespace but those of the fleet and its agents.

No Application has the resources finalizer: deleting one leaves the fleet running.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.emit.argocd import charts, clusters
from gpuplan.emit.argocd.gpu_operator import GPU_OPERATOR
from gpuplan.emit.argocd.kueue import KUEUE
from gpuplan.emit.argocd.shared import by_name
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet

__all__ = ["emit"]


def emit(fleet: Fleet, manifests: Iterable[Manifest]) -> Iterator[Manifest]:
    """Yield the projects and applications. `manifests` is all that the clusters get: the allow list follows it."""
    yield from clusters.emit(fleet, tuple(manifests))
    every = by_name(fleet)
    yield from charts.emit(fleet, KUEUE, [cluster for cluster in every if cluster.kueue.managed])
    yield from charts.emit(fleet, GPU_OPERATOR, [cluster for cluster in every if _gets_operator(cluster)])


def _gets_operator(cluster: Cluster) -> bool:
    return cluster.gpu_operator.managed and cluster.has_operator
