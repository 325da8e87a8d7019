"""What all other rules build on: nodes and their pools, what cards report, and what pods, teams and pools hold of them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import card_series, card_usage, held_cards, node_pools, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the base series of a cluster, each after those that it reads."""
    records = (node_pools.info(cluster), *_cards(fleet, cluster), *_held(cluster))
    yield Group(name="gpuplan-base", records=records)


def _cards(fleet: Fleet, cluster: Cluster) -> Iterator[RecordingRule]:
    catalog, pools = fleet.catalog, cluster.pools
    yield record(series.NODE_CARDS, card_series.reported(catalog, pools))
    busy = card_usage.utilisation(catalog, pools, profiling=fleet.monitoring.profiling)
    yield record(series.GPU_UTIL, busy)
    yield record(series.GPU_MEMORY, card_usage.memory(catalog, pools))
    yield record(series.CARD_UTIL, card_usage.whole_cards(pools))
    yield record(series.CARD_POWER, card_usage.power(catalog, pools))
    yield record(series.CARD_TEMPERATURE, card_usage.temperature(catalog, pools))


def _held(cluster: Cluster) -> Iterator[RecordingRule]:
    """What teams hold is there only where teams are."""
    yield record(series.POD_REQUESTS, held_cards.requests(cluster.pools))
    yield record(series.POOL_CAPACITY, held_cards.capacity())
    yield record(series.POOL_ALLOCATED, held_cards.of_pools())
    if cluster.teams:
        yield record(series.TEAM_ALLOCATED, held_cards.of_teams())
        yield record(series.PODS_WITHOUT_TEAM, held_cards.without_team())
