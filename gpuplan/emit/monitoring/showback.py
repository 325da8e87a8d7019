"""What `gpuplan cost` bills beside the price of what teams hold: hours, and what was used, reserved, borrowed and nobody's.

All of it is recorded once a minute beside the prices, so that the sum of a day's samples over 60 is hours, or money. What a
team reserves is its nominal quota by the spec; what it borrows is what Kueue lets its queues use beyond their quota.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpuplan.emit.monitoring import held_cards, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.kueue_series import QUOTA, USAGE, selected
from gpuplan.emit.monitoring.promql import QUEUE_TO_TEAM, TO_TEAM, number, priced
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.quota_tree import NO_QUOTA

INTERVAL = "60s"
"""One sample a minute: `gpuplan cost` divides by 60."""

_BUSY = f'clamp_max(avg by (namespace, pod) ({series.GPU_UTIL}{{pod!=""}}), 1)'
"""Busy part of each pod's cards; one that is not measured has none."""


def groups(_fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield what the teams of a cluster reserve. The computed part is `records`, for the group of the prices."""
    facts = (*_flavors(cluster), *_reserved(cluster))
    if facts:
        yield Group(name="gpuplan-reserved", records=facts, interval=INTERVAL)


def records(cluster: Cluster) -> Iterator[RecordingRule]:
    """Yield the computed series of a cluster, each after those that it reads."""
    yield record(series.POOL_BILLED, f"{series.POOL_CAPACITY}")
    yield record(series.NO_TEAM, f"{_without_team(cluster)} or {series.POOL_CAPACITY} * 0")
    yield record(series.NO_TEAM_COST, priced(series.NO_TEAM))
    if cluster.teams:
        yield record(series.TEAM_BILLED, f"{series.TEAM_ALLOCATED}")
        yield record(series.TEAM_IDLE_BILLED, f"{series.TEAM_IDLE}")
        yield record(series.TEAM_USED, f"{_used()} or {series.TEAM_ALLOCATED} * 0")
        yield record(series.TEAM_USED_COST, priced(series.TEAM_USED))
    if cluster.cohorts_with_queues:
        yield record(series.TEAM_BORROWED, _borrowed())
        yield record(series.TEAM_BORROWED_COST, _priced_by_tier(series.TEAM_BORROWED))


def _without_team(cluster: Cluster) -> str:
    known = f" unless on (namespace) {series.NAMESPACE_TEAM}" if cluster.teams else ""
    return f"sum by (pool) ({held_cards.cards()}{known})"


def _used() -> str:
    held = f"sum by (namespace, pod, pool) ({held_cards.cards()})"
    return f"sum by (team, pool) ({held} * on (namespace, pod) group_left () {_BUSY} * {TO_TEAM})"


def _borrowed() -> str:
    """Return what queues use beyond their quota, in cards. A queue borrows of each flavor and resource for itself."""
    usage, quota = (f"max by (cluster_queue, flavor, resource) ({selected(metric)})" for metric in (USAGE, QUOTA))
    cards = f"on (flavor, resource) group_left (tier) {series.FLAVOR_FRACTION}"
    return f"sum by (team, tier) (clamp_min({usage} - {quota}, 0) * {cards} * {QUEUE_TO_TEAM})"


def _priced_by_tier(cards: series.Series) -> str:
    """Return the price of cards of a tier, whose pools all have one price."""
    tier = f"{series.CARD_PRICE} * on (pool) group_left (tier) {series.POOL}"
    return f"{cards} * on (tier) group_left (currency) max by (tier, currency) ({tier})"


def _flavors(cluster: Cluster) -> Iterator[RecordingRule]:
    if cluster.cohorts_with_queues:
        for flavor in cluster.flavors:
            for resource, unit in sorted(flavor.units.items()):
                labels = {"flavor": flavor.name, "resource": resource, "tier": flavor.tier.name}
                yield record(series.FLAVOR_FRACTION, f"vector({number(unit.card_share)})", **labels)


def _reserved(cluster: Cluster) -> Iterator[RecordingRule]:
    """Yield the cards, and their price, that nominal quotas give each team of each tier."""
    owned: dict[tuple[str, str], Fraction] = {}
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            for flavor in cohort.flavors:
                key = (queue.team.name, flavor.tier.name)
                owned[key] = owned.get(key, Fraction(0)) + _cards(cluster, queue.name, flavor)
    tiers = {flavor.tier.name: flavor.tier for flavor in cluster.flavors}
    for (team, tier), cards in sorted(owned.items()):
        if cards:
            yield record(series.TEAM_RESERVED, f"vector({number(cards)})", team=team, tier=tier)
            price = tiers[tier].cost_per_card_hour
            if price:
                labels = {"team": team, "tier": tier, "currency": tiers[tier].currency}
                yield record(series.TEAM_RESERVED_COST, f"vector({number(cards * Fraction(price))})", **labels)


def _cards(cluster: Cluster, queue: str, flavor: Flavor) -> Fraction:
    limits = cluster.quota.queues[queue].limits
    return sum(
        (
            unit.card_share * limits.get((flavor.name, resource), NO_QUOTA).nominal
            for resource, unit in flavor.units.items()
        ),
        start=Fraction(0),
    )
