"""Panels on cost: by team, pool and cost centre, what lies idle, and what nobody holds."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query, stat
from gpuplan.emit.monitoring.series import (
    NO_TEAM_COST,
    POOL_COST,
    TEAM_BORROWED_COST,
    TEAM_COST,
    TEAM_IDLE_COST,
    TEAM_RESERVED_COST,
    TEAM_USED_COST,
    UNALLOCATED_COST,
)


def of_cluster(on: Context) -> Panel:
    """Return the price of everything."""
    return stat("Cost", "Price of all cards that are there, for an hour.", f"sum({on.scope.of(POOL_COST)})", on.money)


def of_teams(on: Context) -> Panel:
    """Return the price of what is held."""
    return stat("Cost", "Price of the cards that are held, for an hour.", f"sum({on.scope.of(TEAM_COST)})", on.money)


def held(on: Context, by: str) -> Iterator[Panel]:
    """Yield the price of what is held, and of the idle part of it, by `team` or by `pool`."""
    s = on.scope
    yield _stacked(on, f"Cost by {by}", "Price of the cards that are held, for an hour.", by, s.of(TEAM_COST))
    yield _stacked(
        on,
        f"Idle cost by {by}",
        "Price of the cards that are held and did nothing for an hour.",
        by,
        s.of(TEAM_IDLE_COST),
    )


def bill(on: Context) -> Panel:
    """Return the lines of a bill: what is reserved, held, used and borrowed."""
    lines = {
        "reserved": TEAM_RESERVED_COST,
        "held": TEAM_COST,
        "busy": TEAM_USED_COST,
        "borrowed": TEAM_BORROWED_COST,
    }
    return Panel(
        title="Reserved, held, busy, borrowed",
        says="Price of the quota, of the cards held, of their busy part, and of what is used beyond quota, for an hour.",
        kind="lines",
        queries=tuple(Query(expr=f"sum({on.scope.of(one)})", legend=name) for name, one in lines.items()),
        unit=on.money,
        least=0,
    )


def unallocated(on: Context) -> Panel:
    """Return the price of what no team holds."""
    s = on.scope
    return Panel(
        title="Unallocated cost",
        says="Price of the cards that no team holds, and the part of it that pods of no team hold. With the teams' cost it "
        "adds up to the price of the pool.",
        kind="lines",
        queries=(
            Query(expr=f"sum by (pool) ({s.of(UNALLOCATED_COST)})", legend="{{pool}}"),
            Query(expr=f"sum by (pool) ({s.of(NO_TEAM_COST)})", legend="{{pool}}: pods of no team"),
        ),
        unit=on.money,
        least=0,
    )


def by_pool(on: Context) -> Panel:
    """Return the price of each pool."""
    return _stacked(
        on, "Cost of the pools", "Price of all cards that are there, held or not.", "pool", on.scope.of(POOL_COST)
    )


def by_cost_center(on: Context) -> Panel:
    """Return the price of what each cost centre holds."""
    expr = on.scope.by_cost_center(on.scope.of(TEAM_COST))
    return _stacked(
        on, "Cost by cost centre", "Price of the cards that teams of a cost centre hold.", "cost_center", expr
    )


def _stacked(on: Context, title: str, says: str, by: str, expr: str) -> Panel:
    return Panel(
        title=title,
        says=says,
        kind="stacked",
        queries=(Query(expr=f"sum by ({by}) ({expr})", legend=f"{{{{{by}}}}}"),),
        unit=on.money,
        least=0,
    )
