"""Panels on the engines that answer requests, by their own metrics: what waits and runs, the cache, tokens, failures.

Names are those of the engine's version (catalogue: serving); `task_pool` is ours, by the scrape contract.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query
from gpuplan.emit.monitoring import scrapes

RATE = "rate({}[$__rate_interval])"


def panels(on: Context) -> Iterator[Panel]:
    """Yield the panels on engines; one is without queries where no engine of the cluster has metrics for it."""
    yield Panel(
        title="Requests in the engines",
        says="Requests that wait for their turn, and those that are being answered. Waiting ones that grow ask for more "
        "cards.",
        kind="lines",
        queries=(*_each(on, "waiting", "sum", "{}", " waiting"), *_each(on, "running", "sum", "{}", " running")),
        least=0,
    )
    yield Panel(
        title="KV cache",
        says="Used part of the cache of keys and values, the fullest pod. At 100 % requests are thrown out and begun anew.",
        kind="lines",
        queries=_each(on, "cache", "max", "{}"),
        unit="percentunit",
        least=0,
        most=1,
    )
    yield Panel(
        title="Tokens",
        says="Tokens that are generated, a second.",
        kind="stacked",
        queries=_each(on, "tokens", "sum", RATE),
        unit="suffix: tokens/s",
        least=0,
    )
    yield Panel(
        title="Failed requests",
        says="Requests that ended without an answer, a second.",
        kind="stacked",
        queries=_each(on, "failures", "sum", RATE),
        unit="reqps",
        least=0,
    )


def _each(on: Context, purpose: str, how: str, around: str, suffix: str = "") -> tuple[Query, ...]:
    """Ask for a purpose by each name that the cluster's engines have for it."""
    known = on.fleet.catalog.serving
    names = {known.metric(said.engine, purpose, said.version) for _, said in scrapes.serving_pools(on.cluster)}
    return tuple(
        Query(expr=f"{how} by (task_pool) ({_filtered(on, name, around)})", legend=f"{{{{task_pool}}}}{suffix}")
        for name in sorted(names - {""})
    )


def _filtered(on: Context, metric: str, around: str) -> str:
    """Give each pod's series its team, which also filters it."""
    return on.scope.by_namespace_team(around.format(on.scope.raw(metric, "task_pool")))
