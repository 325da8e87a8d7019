"""Tables: the state of each pool, the pods that hold cards, and the alerts that fire."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.emit.monitoring.series import (
    CARD_UTIL,
    GPU_UTIL,
    POD_IDLE,
    POD_REQUESTS,
    POOL_ALLOCATED,
    POOL_CAPACITY,
    POOL_COST,
    Series,
)


def alerts(on: Context, groups: Iterable[Group]) -> Panel:
    """Return the alerts that fire, ours alone."""
    names = sorted(alert.name for group in groups for alert in group.alerts)
    firing = on.scope.raw("ALERTS", matchers=f'alertstate="firing", alertname=~"{"|".join(names)}"')
    return Panel(
        title="Alerts that fire",
        says="What is wrong now, whom it is for, and how often. The runbook of each says what to do.",
        kind="table",
        queries=(Query(expr=f"count by (alertname, severity, team) ({firing})", legend="Times"),),
    )


def pools(on: Context) -> Panel:
    """Return one line for each pool."""
    return Panel(
        title="Pools",
        says="What each pool is, how much of it is there and held, how busy it is and what it costs.",
        kind="table",
        queries=(
            Query(expr=_by_pool(on, "sum", POOL_CAPACITY), legend="Cards"),
            Query(expr=_by_pool(on, "sum", POOL_ALLOCATED), legend="Held"),
            Query(expr=_by_pool(on, "avg", CARD_UTIL), legend="Busy", unit="percentunit"),
            Query(expr=_by_pool(on, "sum", POOL_COST), legend="Cost", unit=on.money),
        ),
        width=24,
        link=("pool", "pool"),
    )


def _by_pool(on: Context, how: str, series: Series) -> str:
    return f"{how} by (pool, tier, card, sharing) ({on.scope.pools(on.scope.of(series))})"


def pods(on: Context) -> Panel:
    """Return the pods that hold cards, by team."""
    held = on.scope.by_namespace_team(on.scope.of(POD_REQUESTS))
    return _pods(f"sum by (namespace, pod, node) ({held})", on, ("node", "node"))


def pods_of_nodes(on: Context) -> Panel:
    """Return the pods that hold cards of the nodes in view."""
    held = on.scope.with_pool(on.scope.of(POD_REQUESTS))
    return _pods(f"sum by (namespace, pod, node) ({held})", on, None)


def _pods(held: str, on: Context, link: tuple[str, str] | None) -> Panel:
    s = on.scope
    util = s.of(GPU_UTIL, matchers='pod!=""')
    here = f"and on (namespace, pod) {held}"
    return Panel(
        title="Pods with cards",
        says="Pods that hold cards or parts of them, how busy their cards are, and 1 where none did anything for an hour.",
        kind="table",
        queries=(
            Query(expr=held, legend="Units"),
            Query(
                expr=f"avg by (namespace, pod, node) ({util}) {here}",
                legend="Busy",
                unit="percentunit",
            ),
            Query(
                expr=f"max by (namespace, pod, node) ({s.of(POD_REQUESTS)} * 0) "
                f"+ on (namespace, pod) group_left () max by (namespace, pod) ({s.of(POD_IDLE)}) {here}",
                legend="Idle",
            ),
        ),
        width=24,
        height=9,
        link=link,
    )
