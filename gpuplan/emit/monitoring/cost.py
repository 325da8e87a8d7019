"""What the cards cost, and whom: prices by the hour, recorded once a minute so that the sum of a day's samples over 60 is money.

Cards are counted by their shares, so a share or an instance costs its part of the card's price, and a part of a card that no
share covers is unallocated. In each sample, what teams hold, what pods in namespaces of no team hold and what nobody holds add up
to the price of all cards that are there. A pool without a price costs nothing and is not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import series, showback
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.promql import priced
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet

INTERVAL = showback.INTERVAL


def groups(_fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the prices of a cluster's cards, and what `gpuplan cost` needs beside them, each after what it reads."""
    for_money = any(pool.tier.cost_per_card_hour for pool in cluster.pools)
    beside = tuple(showback.records(cluster))
    if for_money:
        records = (*_held(cluster), *beside, *_unallocated(cluster))
    else:
        records = tuple(one for one in beside if series.CARD_PRICE.name not in one["expr"])
    yield Group(name="gpuplan-cost", records=records, interval=INTERVAL)


def _held(cluster: Cluster) -> Iterator[RecordingRule]:
    yield record(series.POOL_COST, priced(series.POOL_CAPACITY))
    if cluster.teams:
        yield record(series.TEAM_COST, priced(series.TEAM_ALLOCATED))
        yield record(series.TEAM_IDLE_COST, priced(series.TEAM_IDLE))


def _unallocated(cluster: Cluster) -> Iterator[RecordingRule]:
    """Yield the price of the rest. It is below zero while pods are still listed on nodes that are gone: sums stay right."""
    every, strays = series.POOL_COST, series.NO_TEAM_COST
    held = f" - (sum by (pool, currency) ({series.TEAM_COST}) or {every} * 0)" if cluster.teams else ""
    yield record(series.UNALLOCATED_COST, f"{every}{held} - ({strays} or {every} * 0)")
