"""Kueue: topologies, flavors, the quota tree, queues, and the configuration of its manager.

`flavors` says what the hardware is, `queues` who may use how much of it, `adopted` what stays as it was, `configuration` how the
manager runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.kueue import adopted, flavors, queues
from gpuplan.emit.kueue.configuration import manager_configuration, texts
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet

__all__ = ["emit", "manager_configuration", "texts"]


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield Kueue's objects of a cluster. Its installation is an Argo CD Application, see `emit.argocd`."""
    yield from flavors.emit(fleet, cluster)
    yield from queues.emit(fleet, cluster)
    yield from adopted.emit(fleet, cluster)
