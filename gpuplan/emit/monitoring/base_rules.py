"""What all other rules build on: which pool each node is in, and what its cards report, under one set of labels."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import card_series, node_pools, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.model.fleet import Cluster, Fleet


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the base series of a cluster."""
    yield Group(
        name="gpuplan-base",
        records=(
            node_pools.info(cluster),
            record(series.NODE_CARDS, card_series.reported(fleet.catalog, cluster.pools)),
        ),
    )
