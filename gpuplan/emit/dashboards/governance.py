"""Panels on governance: what lies idle, what is congested, who is above or below quota, who lost cards and why."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query, above, below, stat
from gpuplan.emit.monitoring.series import (
    CONGESTION,
    GUARANTEE,
    PODS_WITHOUT_TEAM,
    POOL_ALLOCATED,
    POOL_CAPACITY,
    QUEUE_NOMINAL,
    QUEUE_USAGE,
    RECLAIMED,
    STARVED,
    TEAM_ALLOCATED,
    TEAM_IDLE,
    TEAM_QUOTA_GAP,
)
from gpuplan.model.reclaim_metrics import CANDIDATES, IDLE, IDLE_LABELS


def idle(on: Context) -> Panel:
    """Return the part of the held cards that lies idle."""
    s = on.scope
    return stat(
        "Idle",
        "Part of the cards that teams hold whose pods did nothing with them for an hour.",
        f"sum({s.of(TEAM_IDLE)}) / (sum({s.of(TEAM_ALLOCATED)}) > 0)",
        "percentunit",
        above(on.thresholds.idle_percent / 100),
    )


def guarantee(on: Context) -> Panel:
    """Return the worst guarantee."""
    return stat(
        "Guarantee kept",
        "Part of a week's peak hours in which no work waited below its own quota; the worst queue.",
        f"min({on.scope.of(GUARANTEE)})",
        "percentunit",
        below(0.99),
    )


def reclaimed(on: Context) -> Panel:
    """Return the workloads that lost their cards."""
    return stat(
        "Reclaimed",
        "Workloads that lost their cards within a day.",
        f"sum({on.scope.by_namespace_team(on.scope.of(RECLAIMED))})",
        limit=above(on.thresholds.reclaimed_per_day),
    )


def shares(on: Context, by: str) -> Iterator[Panel]:
    """Yield how much is held, and how much of it lies idle, by `team` or by `pool`."""
    s = on.scope
    yield Panel(
        title=f"Cards held by {by}",
        says=f"Cards that pods of teams hold, by {by}.",
        kind="stacked",
        queries=(Query(expr=f"sum by ({by}) ({s.of(TEAM_ALLOCATED)})", legend=f"{{{{{by}}}}}"),),
        least=0,
    )
    yield Panel(
        title="Idle share",
        says="Idle part of what is held: no card of the pod did anything in an hour.",
        kind="lines",
        queries=(
            Query(
                expr=f"sum by ({by}) ({s.of(TEAM_IDLE)}) / (sum by ({by}) ({s.of(TEAM_ALLOCATED)}) > 0)",
                legend=f"{{{{{by}}}}}",
            ),
        ),
        unit="percentunit",
        limit=above(on.thresholds.idle_percent / 100),
        least=0,
        most=1,
    )


def quotas(on: Context) -> Iterator[Panel]:
    """Yield quota against use, by team."""
    yield Panel(
        title="Usage minus quota",
        says="Above zero a team borrows what others leave; below, its own quota is free. In units of the resource.",
        kind="lines",
        queries=(
            Query(expr=f"sum by (team, resource) ({on.scope.of(TEAM_QUOTA_GAP)})", legend="{{team}} {{resource}}"),
        ),
    )


def congestion(on: Context) -> Panel:
    """Return the congestion of shared quota."""
    return Panel(
        title="Congestion",
        says="Used and asked for, against what a task pool owns. Above 100 % work waits for others' work to end.",
        kind="lines",
        queries=(
            Query(expr=f"max by (cohort, resource) ({on.scope.of(CONGESTION)})", legend="{{cohort}} {{resource}}"),
        ),
        unit="percentunit",
        limit=above(on.thresholds.congested_percent / 100),
        least=0,
    )


def losses(on: Context) -> Iterator[Panel]:
    """Yield who lost cards, and why."""
    lost = on.scope.by_namespace_team(on.scope.of(RECLAIMED))
    yield Panel(
        title="Reclaimed by reason",
        says="Workloads that lost their cards within a day, by reason: another's quota, priority, idleness, a failed node.",
        kind="stacked",
        queries=(Query(expr=f"sum by (reason) ({lost})", legend="{{reason}}"),),
        least=0,
    )


def strangers(on: Context) -> Panel:
    """Return the pods of nobody."""
    return Panel(
        title="Pods of no team",
        says="Pods that hold cards in namespaces that no team owns. Their cost is nobody's.",
        kind="lines",
        queries=(Query(expr=f"sum({on.scope.of(PODS_WITHOUT_TEAM)})", legend="pods"),),
        least=0,
    )


def queues(on: Context) -> Iterator[Panel]:
    """Yield quota, use and starving of each queue."""
    s = on.scope
    yield Panel(
        title="Quota and usage by queue",
        says="Nominal quota of each queue, and what admitted work uses of it or beyond it.",
        kind="lines",
        queries=(
            Query(expr=s.by_queue_team(s.of(QUEUE_USAGE)), legend="{{cluster_queue}} {{resource}} used"),
            Query(expr=s.by_queue_team(s.of(QUEUE_NOMINAL)), legend="{{cluster_queue}} {{resource}} quota"),
        ),
        least=0,
    )
    yield Panel(
        title="Waiting below quota",
        says="1 while work of a queue waits although its own quota is free.",
        kind="stacked",
        queries=(Query(expr=f"max by (cluster_queue) ({s.of(STARVED)})", legend="{{cluster_queue}}"),),
        least=0,
    )
    yield Panel(
        title="Guarantee at peak hours",
        says="Part of a week's peak hours in which no work of the queue waited below its own quota.",
        kind="lines",
        queries=(Query(expr=f"min by (cluster_queue) ({s.of(GUARANTEE)})", legend="{{cluster_queue}}"),),
        unit="percentunit",
        least=0,
        most=1,
    )


def capacity(on: Context) -> Panel:
    """Return what is there, what is held, and thus what is free."""
    s = on.scope
    return Panel(
        title="Capacity",
        says="Cards that are there, and those that pods hold; the distance is free.",
        kind="lines",
        queries=(
            Query(expr=f"sum by (pool) ({s.of(POOL_CAPACITY)})", legend="{{pool}}"),
            Query(expr=f"sum by (pool) ({s.of(POOL_ALLOCATED)})", legend="{{pool}} held"),
        ),
        least=0,
    )


def candidates(on: Context) -> Panel:
    """Return what the reclaimer says of all work with cards."""
    said = on.scope.raw(CANDIDATES)
    return Panel(
        title="What the reclaimer sees",
        says="Pieces of work that hold cards, by what the reclaimer says of each: active, idle, told, spared and why.",
        kind="stacked",
        queries=(Query(expr=f"max by (verdict) ({said})", legend="{{verdict}}"),),
        least=0,
    )


def idle_work(on: Context) -> Panel:
    """Return the work that the reclaimer finds idle."""
    found = on.scope.by_namespace_team(on.scope.raw(IDLE))
    return Panel(
        title="Idle work",
        says="Work that holds cards and does not use them, without that of task pools that the reclaimer spares.",
        kind="table",
        queries=(Query(expr=f"max by ({', '.join(IDLE_LABELS)}) ({found}) == 1", legend="Idle"),),
    )
