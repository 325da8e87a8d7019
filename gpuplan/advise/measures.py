"""The four measures of a pilot, as PromQL over the series that gpuplan's rules record and the exporters that they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from gpuplan import conventions
from gpuplan.advise.settings import Settings
from gpuplan.emit import base
from gpuplan.emit.monitoring import publish
from gpuplan.emit.monitoring.series import NODE_CARDS, NODE_POOL, POD_REQUESTS
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, allocatable

ABOUT_NODES: Final = (
    "GpuAllocatableLow",
    "GpuExporterDownOnGpuNode",
    "GpuMissingFromNode",
    "GpuNodeConditionBad",
    "GpuRecoveryNeeded",
    "GpuXidNodeDrain",
)
"""Alerts that say of a node of a pool that its cards cannot be used, where their rules are rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One number to read: what it is, and the expression that gives it at the end of the cycle."""

    says: str
    expr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One of the four measures: its question, what passes, and how it is read."""

    name: str
    title: str
    passes: str
    queries: tuple[Query, ...]
    by_people: str = ""
    """What no metric knows and people add."""
    figure: str = ""
    """Key of the number that `passes` names."""


def measures(fleet: Fleet, cluster: Cluster, pool: NodePool, settings: Settings, days: int) -> tuple[Measure, ...]:
    """Return the four measures of a pool over a number of days that end when the queries are asked."""
    return (
        _allocation(pool, settings, days),
        _recovery(pool, settings, days),
        _overhead(cluster, pool, settings, days),
        _alerts(fleet, cluster, pool, settings, days),
    )


def _of_pool(expr: str, pool: NodePool) -> str:
    return f'{expr} * on (node) group_left (pool) {NODE_POOL}{{pool="{pool.name}"}}'


def _offered(pool: NodePool) -> tuple[str, int]:
    """Return what the pool's nodes offer as an expression, and what the spec promises.

    Where pods claim devices, cards that report count. Nothing at all counts as 0 as long as kube-state-metrics reports: the
    agents of a pool that moves are gone for a while, and its nodes are then known by nobody.
    """
    made = allocatable(pool)
    if made:
        names = "|".join(sorted(base.prometheus_label(one.resource) for one in made))
        each = f'max by (node, resource) (kube_node_status_allocatable{{resource=~"{names}"}})'
    else:
        each = f"max by (node) ({NODE_CARDS})"
    a_node = sum(one.per_node for one in made) if made else pool.cards_per_node
    return f"(sum({_of_pool(each, pool)}) or 0 * max(kube_node_info))", pool.nodes * a_node


def _allocation(pool: NodePool, settings: Settings, days: int) -> Measure:
    offered, promised = _offered(pool)
    where = "max by (namespace, pod, node) (kube_pod_info)"
    refused = 'max by (namespace, pod) (kube_pod_status_reason{reason="UnexpectedAdmissionError"} == 1)'
    lost = _of_pool(f"({refused} * on (namespace, pod) group_left (node) {where})", pool)
    held = _of_pool(f"max by (namespace, pod, node) ({POD_REQUESTS})", pool)
    got, missed = (f"count(count_over_time(({pods})[{days}d:5m]))" for pods in (held, lost))
    least = settings.shown("thresholds.pilotAllocationPercent")
    return Measure(
        name="allocation",
        title="Allocation success",
        passes=f"both at {least} % or more, and not below the pools that did not move",
        figure="thresholds.pilotAllocationPercent",
        queries=(
            Query(
                says=f"percent of the {promised} promised units that nodes offered",
                expr=f"100 * avg_over_time(({offered} / {promised})[{days}d:5m])",
            ),
            Query(
                says="percent of pods that the kubelet gave the cards that they were placed for",
                expr=f"100 * {got} / ({got} + ({missed} or vector(0)))",
            ),
        ),
    )


def _recovery(pool: NodePool, settings: Settings, days: int) -> Measure:
    offered, promised = _offered(pool)
    short = f"({offered} < bool {promised})[{days}d:1m]"
    most = settings.shown("thresholds.pilotRecoveryMinutes")
    return Measure(
        name="recovery",
        title="Recovery time",
        passes=f"{most} min or less for each time, upgrades and the fault drill among them",
        figure="thresholds.pilotRecoveryMinutes",
        queries=(
            Query(says="times that units were missing", expr=f"ceil(changes({short}) / 2)"),
            Query(
                says="mean minutes until all were offered again",
                expr=f"sum_over_time({short}) / (ceil(changes({short}) / 2) > 0)",
            ),
        ),
    )


def _overhead(cluster: Cluster, pool: NodePool, settings: Settings, days: int) -> Measure:
    own = "|".join(sorted({conventions.SYSTEM_NAMESPACE, cluster.gpu_operator.namespace}))
    chosen = f'{{namespace=~"{own}", resource=~"cpu|memory", node!=""}}'
    one = "namespace, pod, container, node, resource"
    asked = f"sum by (node, resource) (max by ({one}) (kube_pod_container_resource_requests{chosen}))"
    has = 'max by (node, resource) (kube_node_status_allocatable{resource=~"cpu|memory"})'
    part = f"sum by (resource) ({_of_pool(asked, pool)}) / sum by (resource) ({_of_pool(has, pool)})"
    most = settings.shown("thresholds.pilotOverheadPercent")
    return Measure(
        name="overhead",
        title="The components' own overhead",
        passes=f"{most} % or less of CPU and of memory",
        figure="thresholds.pilotOverheadPercent",
        queries=(
            Query(
                says="percent of the nodes' CPU and memory that the agents ask for",
                expr=f"100 * avg_over_time(({part})[{days}d:5m])",
            ),
        ),
        by_people="agents without requests count as nothing here: compare with `kubectl top pod` of their namespaces on one node",
    )


def _alerts(fleet: Fleet, cluster: Cluster, pool: NodePool, settings: Settings, days: int) -> Measure:
    offered, promised = _offered(pool)
    there = {alert.name for group in publish.groups(fleet, cluster) for alert in group.alerts}
    names = "|".join(name for name in ABOUT_NODES if name in there)
    least = settings.shown("thresholds.pilotAlertPercent")
    return Measure(
        name="alerts",
        title="Alert accuracy",
        passes=f"{least} % of the alerts were about something real, and none was silent for longer than its wait (10 min)",
        figure="thresholds.pilotAlertPercent",
        queries=tuple(_alert_queries(pool, names, f"{offered} < {promised}", days)),
        by_people="mark each alert as real or not when it is closed: no metric knows",
    )


def _alert_queries(pool: NodePool, names: str, short: str, days: int) -> Iterator[Query]:
    """Yield what is counted of alerts; an alert on a pool of a cluster without rules for one is not counted."""
    firing = f'ALERTS{{alertstate="firing", alertname=~"{names}", pool="{pool.name}"}}'
    yield Query(says="alerts on nodes of the pool", expr=f"count(count_over_time({firing}[{days}d])) or vector(0)")
    silent = f"({short}) unless on () {firing}"
    yield Query(
        says="minutes in which units were missing and no alert fired",
        expr=f"sum(count_over_time(({silent})[{days}d:1m])) or vector(0)",
    )


def whole_days(value: Fraction) -> int:
    """Return days as PromQL's ranges take them, at least one."""
    return max(1, round(value))
