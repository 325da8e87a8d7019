"""Alerts on idle cards, crowded task pools, floors that do not hold and quotas that are not the spec's."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import governance_cases as cases
from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.alerts import Alert
from gpuplan.emit.monitoring.kueue_scenes import HOUR, Queue, queues
from gpuplan.emit.monitoring.kueue_series import RESOURCE_PENDING, SUBTREE, cards, has, selected
from gpuplan.emit.monitoring.promql import part
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Thresholds
from gpuplan.model.queues import Cohort

IDLE_MINUTES = 2 * HOUR
CONGESTED_MINUTES = 30
DRIFT_MINUTES = 30
FULL = 100
"""Percent of a task pool's own quota; without borrowing no more can be used."""


def alerts(fleet: Fleet, cluster: Cluster, pools: tuple[Cohort, ...]) -> Iterator[Alert]:
    """Yield the alerts of a cluster with teams; those on queues where it has some. `pools` own cards as a whole."""
    thresholds, first = fleet.monitoring.thresholds, next(queues(cluster), None)
    floor = next((queue for queue in queues(cluster) if queue.nominal and queue.task_pool.service.owns), None)
    yield _idle_high(cluster, thresholds)
    yield _unmapped()
    tells = has(fleet.catalog, cluster, RESOURCE_PENDING)
    owning = [cohort for cohort in pools if any(share.nominal for share in cohort.shares.values())]
    borrows = any(share.borrow for cohort in owning for share in cohort.shares.values())
    if owning and (tells or borrows or thresholds.congested_percent < FULL):
        yield _congested(thresholds, owning[0], tells=tells)
    if floor:
        yield _starved(thresholds, floor)
    if first:
        yield _drift(cluster, first, pools)


def _idle_high(cluster: Cluster, thresholds: Thresholds) -> Alert:
    return Alert(
        name="TeamGpuIdleHigh",
        expr=f"{series.TEAM_IDLE_SHARE} > {part(thresholds.idle_percent)} "
        f"and on (team, pool) {series.TEAM_ALLOCATED} >= {thresholds.idle_cards}",
        wait=f"{IDLE_MINUTES}m",
        severity="warning",
        team="",
        summary="A large part of the GPUs that a team holds does nothing.",
        description="{{ $value | humanizePercentage }} of what team {{ $labels.team }} holds in pool {{ $labels.pool }} has "
        "done nothing for an hour or more. See on the team's dashboard which pods that is, and end those that nobody needs.",
        cases=tuple(cases.idle(cluster, thresholds.idle_cards, IDLE_MINUTES)),
    )


def _unmapped() -> Alert:
    return Alert(
        name="GpuMetricsUnmapped",
        expr=f"{series.PODS_WITHOUT_TEAM} > 0",
        wait="1h",
        severity="info",
        summary="Pods with GPUs run in namespaces of no team.",
        description="{{ $value }} pods hold GPUs in namespaces that the spec gives to no team: nobody is told of their errors, "
        "and nobody pays for them. Add the namespaces to a team, or move the pods.",
        cases=tuple(cases.unmapped()),
    )


def _congested(thresholds: Thresholds, pool: Cohort, *, tells: bool) -> Alert:
    return Alert(
        name="GpuPoolCongested",
        expr=f"{series.CONGESTION} > {part(thresholds.congested_percent)}",
        wait=f"{CONGESTED_MINUTES}m",
        severity="warning",
        summary="A shared task pool is asked for more than it owns.",
        description="What teams use and wait for in task pool {{ $labels.cohort }} is {{ $value | humanizePercentage }} of the "
        "{{ $labels.resource }} that it owns. See who holds most of it and whether that is idle; else the pool is too small.",
        cases=tuple(cases.congested(pool, thresholds.congested_percent, CONGESTED_MINUTES, tells=tells)),
    )


def _starved(thresholds: Thresholds, floor: Queue) -> Alert:
    minutes = thresholds.starved_minutes
    return Alert(
        name="TeamStarvedUnderQuota",
        expr=f"{series.STARVED_AT_PEAK} == 1",
        wait=f"{minutes}m",
        severity="critical",
        team="",
        summary="A team's jobs wait at peak hours although its own quota is free.",
        description=f"Jobs wait for {minutes} minutes in queue {{{{ $labels.cluster_queue }}}} that its free quota would hold: "
        "the floor that the spec promises does not hold. Read the conditions of the waiting Workloads first: nodes may be "
        "missing, or no node has room for a whole pod.",
        cases=tuple(cases.starved(floor, minutes)),
    )


def _drift(cluster: Cluster, queue: Queue, pools: tuple[Cohort, ...]) -> Alert:
    """A queue that somebody stops keeps its quota: that is no drift."""
    live = f"sum by (cluster_queue, resource) ({series.QUEUE_NOMINAL})"
    key = "on (cluster_queue, resource)"
    parts = [
        f"abs({series.QUEUE_QUOTA} - {key} {live}) > 0",
        f"({series.QUEUE_QUOTA} unless {key} {live} and on () count({series.QUEUE_NOMINAL}))",
    ]
    if pools:
        own = f"max by (cohort, flavor, resource) ({selected(SUBTREE, cards(cluster))})"
        parts.append(f"abs({series.COHORT_QUOTA} - on (cohort, resource) sum by (cohort, resource) ({own})) > 0")
    return Alert(
        name="GpuQuotaDrift",
        expr="\nor\n".join(parts),
        wait=f"{DRIFT_MINUTES}m",
        severity="warning",
        summary="The quota in Kueue is not the one that the spec declares.",
        description="The quota of {{ $labels.resource }} in {{ with $labels.cluster_queue }}queue {{ . }}{{ end }}"
        "{{ with $labels.cohort }}cohort {{ . }}{{ end }} is not what the spec says. Look whether Argo CD is in sync, and who "
        "else writes to it.",
        cases=tuple(cases.drift(queue, pools, DRIFT_MINUTES)),
    )
