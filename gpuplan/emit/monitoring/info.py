"""What the spec knows, as constant series: Prometheus joins by them instead of by labels that somebody may forget to allow."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Catalog
from gpuplan.emit.monitoring import card_series, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the facts of a cluster's pools and teams."""
    yield Group(name="gpuplan-pools", records=tuple(_pools(fleet.catalog, cluster)))
    if cluster.teams:
        yield Group(name="gpuplan-teams", records=tuple(_teams(cluster)))


def _pools(catalog: Catalog, cluster: Cluster) -> Iterator[RecordingRule]:
    for pool in cluster.pools:
        cards = card_series.cards_per_node(catalog.vendors.of(pool.card), pool)
        yield record(series.CARDS_PER_NODE, f"vector({cards})", pool=pool.name)


def _teams(cluster: Cluster) -> Iterator[RecordingRule]:
    for team in sorted(cluster.teams, key=lambda team: team.name):
        for namespace in team.namespaces:
            yield record(series.NAMESPACE_TEAM, "vector(1)", namespace=namespace, team=team.name)
