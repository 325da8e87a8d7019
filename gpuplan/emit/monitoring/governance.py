"""Whose cards lie idle, who waits, who uses more or less than its quota, and whether floors hold at peak hours.

Facts: Kueue 0.19, kube-state-metrics 2.20. A pod counts as idle only where that is known: every card that it holds was seen
for most of an hour, at one sample a minute whatever the rules' own interval, the pod is older than that, and still holds
them.

A queue starves if work waits although its own quota would hold it. Kueue tells how much waits and how many workloads that
is; where the free part of the quota reaches for the average one, at least one of them would fit.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import card_series, governance_alerts, held_cards, reclaimed, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.kueue_series import PENDING, QUOTA, RESOURCE_PENDING, USAGE, cards, has, selected
from gpuplan.emit.monitoring.promql import QUEUE_TO_TEAM, TO_TEAM
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Cohort

IDLE_BELOW = "0.02"
"""Busy part of a card below which it does nothing."""
SAMPLES = 48
"""Minutes of the hour for which every card must have been seen: four fifths."""
GUARANTEE_INTERVAL = "120s"
"""A week is looked back on; that need not be done with each evaluation."""
_OF_POD = "namespace, pod"
_OF_QUEUE = "cluster_queue, cohort, resource"


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield who uses what in a cluster, and how that compares with what is promised."""
    if not cluster.teams:
        return
    queues = bool(cluster.cohorts_with_queues)
    taken = (reclaimed.disrupted(cluster),) if reclaimed.told(fleet, cluster) else ()
    records = (*_idle(fleet, cluster), *(_queues(fleet, cluster) if queues else ()), *taken)
    alerts = tuple(governance_alerts.alerts(fleet, cluster, shared(cluster)))
    yield Group(name="gpuplan-governance", records=records, alerts=alerts)
    if owners(cluster):
        held = record(series.GUARANTEE, f"1 - avg_over_time({series.STARVED_AT_PEAK}[7d:5m])")
        yield Group(name="gpuplan-guarantee", records=(held,), interval=GUARANTEE_INTERVAL)


def owners(cluster: Cluster) -> tuple[Cohort, ...]:
    """Return the task pools whose queues own floors."""
    return tuple(cohort for cohort in cluster.cohorts_with_queues if cohort.task_pool.service.owns)


def shared(cluster: Cluster) -> tuple[Cohort, ...]:
    """Return the task pools that own cards as a whole."""
    return tuple(cohort for cohort in cluster.cohorts_with_queues if cohort.shares)


def _idle(fleet: Fleet, cluster: Cluster) -> Iterator[RecordingRule]:
    yield record(series.POD_IDLE, _pod_idle(fleet, cluster))
    held = f"({held_cards.cards()} and on ({_OF_POD}) {series.POD_IDLE} == 1)"
    yield record(series.TEAM_IDLE, f"sum by (team, pool) ({held} * {TO_TEAM})\nor {series.TEAM_ALLOCATED} * 0")
    yield record(series.TEAM_IDLE_SHARE, f"{series.TEAM_IDLE} / ({series.TEAM_ALLOCATED} > 0)")


def _pod_idle(fleet: Fleet, cluster: Cluster) -> str:
    """Return 1 for pods that are known to do nothing and 0 for those that are known to do something."""
    busy = f'{series.GPU_UTIL}{{pod!=""}}'
    guards = (
        f"min by ({_OF_POD}) (count_over_time({busy}[1h:1m])) >= {SAMPLES}",
        f"(time() - max by ({_OF_POD}) (kube_pod_start_time) > 3600)",
        f"count by ({_OF_POD}) ({busy}) >= on ({_OF_POD}) {_devices(fleet, cluster)}",
    )
    idle = f"max by ({_OF_POD}) (max_over_time({busy}[1h])) < bool {IDLE_BELOW}"
    return idle + "".join(f"\nand on ({_OF_POD}) {guard}" for guard in guards)


def _devices(fleet: Fleet, cluster: Cluster) -> str:
    """Return how many devices an exporter must show of each pod: what it asked for, or boards where it knows those alone."""
    families = fleet.catalog.vendors
    boards = any(card_series.cards_per_node(families.of(p.card), p) != p.cards_per_node for p in cluster.pools)
    if not boards:
        return f"sum by ({_OF_POD}) ({series.POD_REQUESTS})"
    part = f"on (pool) group_left () ({series.CARDS_PER_NODE} / {series.NODE_CAPACITY})"
    return f"sum by ({_OF_POD}) ({series.POD_REQUESTS} * on (node) group_left (pool) {series.NODE_POOL} * {part})"


def _queues(fleet: Fleet, cluster: Cluster) -> Iterator[RecordingRule]:
    of_cards, tells = cards(cluster), has(fleet.catalog, cluster, RESOURCE_PENDING)
    for made, metric in ((series.QUEUE_NOMINAL, QUOTA), (series.QUEUE_USAGE, USAGE)):
        yield record(
            made,
            f"sum by ({_OF_QUEUE}) (max by (cluster_queue, cohort, flavor, resource) ({selected(metric, of_cards)}))",
        )
    gap = f"({series.QUEUE_USAGE} - {series.QUEUE_NOMINAL})"
    yield record(series.TEAM_QUOTA_GAP, f"sum by (team, resource) ({gap} * {QUEUE_TO_TEAM})")
    if shared(cluster):
        yield record(series.CONGESTION, _congestion(of_cards if tells else ""))
    if owners(cluster):
        yield record(series.STARVED, _starved(cluster, of_cards) if tells else _starved_by_count())
        yield record(series.STARVED_AT_PEAK, f"{series.STARVED} and on () {series.PEAK_HOURS} == 1")


def _waiting(of_cards: str) -> str:
    return f"max by (cluster_queue, resource) ({selected(RESOURCE_PENDING, of_cards)})"


def _congestion(of_cards: str) -> str:
    """Return what is used and asked for of each shared task pool, against what it owns.

    Where Kueue does not tell what waits (`of_cards` is empty, or the series is missing), nothing does.
    """
    used, owned = f"sum by (cohort, resource) ({series.QUEUE_USAGE})", f"({series.COHORT_QUOTA} > 0)"
    if not of_cards:
        return f"{used}\n/ {owned}"
    cohort = f"max by (cluster_queue, cohort) ({series.QUEUE_USAGE} >= bool 0)"
    asked = f"sum by (cohort, resource) ({_waiting(of_cards)} * on (cluster_queue) group_left (cohort) {cohort})"
    return f"({used} + {asked} or {used})\n/ {owned}"


def _starved(cluster: Cluster, of_cards: str) -> str:
    nominal = f"sum by (cluster_queue, resource) ({series.QUEUE_NOMINAL})"
    free = f"sum by (cluster_queue, resource) ({series.QUEUE_NOMINAL} - {series.QUEUE_USAGE})"
    number = f"sum by (cluster_queue) (max by (cluster_queue, status) ({selected(PENDING)}))"
    waits = _waiting(of_cards)
    average = f"({free} * on (cluster_queue) group_left () {number} >= bool {waits})"
    fits = [average]
    for name, largest in _strict(cluster):
        first = f'clamp_max({waits} and on (cluster_queue) {series.QUEUE_TEAM}{{task_pool="{name}"}}, {largest})'
        fits.insert(0, f"({free} >= bool {first}) * {average}")
    return _of_owners(f"({' or '.join(fits)}) * ({waits} > bool 0) and {nominal} > 0")


def _strict(cluster: Cluster) -> Iterator[tuple[str, int]]:
    """Yield the task pools whose first job must go first, with the size of their largest: any job fits where that one does."""
    for cohort in owners(cluster):
        if cohort.task_pool.strict:
            yield cohort.task_pool.name, cohort.task_pool.largest_job.total


def _starved_by_count() -> str:
    """Return the same for a Kueue that does not tell how much waits: any work while any quota is free."""
    free = f"max by (cluster_queue) ({series.QUEUE_USAGE} < bool {series.QUEUE_NOMINAL})"
    number = f"sum by (cluster_queue) (max by (cluster_queue, status) ({selected(PENDING)}))"
    nominal = f"sum by (cluster_queue) ({series.QUEUE_NOMINAL})"
    return _of_owners(f"{free} * ({number} > bool 0) and {nominal} > 0")


def _of_owners(starved: str) -> str:
    owner = f'{series.QUEUE_TEAM}{{service=~"guaranteed|queued"}}'
    return f"max by (cluster_queue, team) (\n  ({starved})\n  * on (cluster_queue) group_left (team) {owner}\n)"
