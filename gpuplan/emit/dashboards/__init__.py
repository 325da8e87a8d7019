"""Dashboards for Grafana, as ConfigMaps that its sidecar finds by their labels, in whatever namespace they are.

They lie in our own namespace: the one of Grafana is somebody else's, and Argo CD must not take to clearing up there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.emit.dashboards.boards import boards
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.emit.monitoring.publish import by_name
from gpuplan.manifests.kinds import ConfigMap
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet


def emit(fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> Iterator[Manifest]:
    """Yield a ConfigMap for each dashboard of a cluster with these rules."""
    wanted = fleet.monitoring.dashboards
    made = tuple(boards(fleet, by_name(cluster), groups)) if wanted.enabled and cluster.pools else ()
    if not made:
        return
    # The library takes a tenth of a second to load: nobody who renders no dashboards waits for it.
    from gpuplan.emit.dashboards import grafana  # noqa: PLC0415

    uids = {board.key: uid(cluster.name, board.key) for board in made}
    for board in made:
        name = conventions.dashboard_name(board.key)
        config: ConfigMap = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": base.namespaced(
                name,
                conventions.SYSTEM_NAMESPACE,
                base.MONITORING,
                labels=wanted.labels,
                annotations={conventions.ANNOTATION_GRAFANA_FOLDER: wanted.folder},
            ),
            "data": {f"{name}-{cluster.name}.json": grafana.text(board, uids, f"gpuplan-{cluster.name}")},
        }
        paths = (fleet.monitoring.path, cluster.path)
        yield base.manifest(fleet, cluster, base.MONITORING, config, *paths)


def uid(cluster: str, key: str) -> str:
    """Return a dashboard's identity in Grafana: the same for the same cluster, so that links to it last."""
    return hashlib.md5(f"gpuplan/{cluster}/{key}".encode(), usedforsecurity=False).hexdigest()
