"""Panels on what the fleet is for: latency, training throughput, releases, and what is guaranteed at peak hours."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query, above, below, stat
from gpuplan.emit.monitoring import scrapes
from gpuplan.emit.monitoring.promql import number
from gpuplan.emit.monitoring.series import (
    GUARANTEE,
    LATENCY,
    RELEASE_FAILURES,
    RELEASE_SUCCESS,
    RELEASES,
    REQUESTS,
    SLOW_1H,
    SLOW_5M,
    SLOW_6H,
    TENSOR,
    THROUGHPUT_CHANGE,
)
from gpuplan.model.monitoring import Slo


def overview(on: Context) -> Iterator[Panel]:
    """Yield the business of a whole cluster."""
    yield latency(on, "task_pool, model")
    yield requests(on, "task_pool")
    yield throughput(on, "team")
    yield releases(on, "project")
    yield from release_counts(on)
    yield Panel(
        title="Guarantee at peak hours",
        says="Part of a week's peak hours in which no work waited below its own quota; the worst queue of each team.",
        kind="lines",
        queries=(Query(expr=f"min by (team) ({on.scope.of(GUARANTEE)})", legend="{{team}}"),),
        unit="percentunit",
        limit=below(0.99),
        least=0,
        most=1,
    )


def latency(on: Context, by: str) -> Panel:
    """Return the latency, and what was promised."""
    promised = tuple(
        Query(expr=f"vector({number(Fraction(slo.latency_milliseconds, 1000))})", legend=f"{name}: promise")
        for name, slo in _promises(on)
    )
    return Panel(
        title="Latency",
        says="Latency of the slowest twentieth of the requests: to the first token (vLLM, SGLang), to the whole answer (TGI); "
        "Triton tells a mean.",
        kind="lines",
        queries=(Query(expr=f"max by ({by}) ({on.scope.of(LATENCY)})", legend=_legend(by)), *promised),
        unit="s",
        least=0,
    )


def requests(on: Context, by: str) -> Panel:
    """Return the requests."""
    return Panel(
        title="Requests",
        says="Requests that were answered, a second.",
        kind="stacked",
        queries=(Query(expr=f"sum by ({by}) ({on.scope.of(REQUESTS)})", legend=_legend(by)),),
        unit="reqps",
        least=0,
    )


def throughput(on: Context, by: str) -> Panel:
    """Return how much faster or slower training is than a week ago."""
    return Panel(
        title="Training throughput",
        says="Work of the tensor pipes in training, against the week before: -20 % is a fifth less.",
        kind="lines",
        queries=(Query(expr=f"min by ({by}) ({on.scope.of(THROUGHPUT_CHANGE)})", legend=_legend(by)),),
        unit="percentunit",
        limit=below(-on.thresholds.throughput_drop_percent / 100),
    )


def tensor(on: Context) -> Panel:
    """Return the work of the tensor pipes."""
    return Panel(
        title="Tensor pipes",
        says="Busy part of the tensor pipes under training work: the best measure of throughput that a card gives.",
        kind="lines",
        queries=(Query(expr=on.scope.of(TENSOR), legend="{{team}} {{pool}}"),),
        unit="percentunit",
        least=0,
        most=1,
    )


def releases(on: Context, by: str) -> Panel:
    """Return how releases went, the worst for each value of a label."""
    return Panel(
        title="Releases that succeeded",
        says="Part of a week's syncs and rollouts that succeeded, the worst one.",
        kind="lines",
        queries=(Query(expr=f"min by ({by}) ({on.scope.of(RELEASE_SUCCESS)})", legend=_legend(by)),),
        unit="percentunit",
        least=0,
        most=1,
    )


def release_counts(on: Context) -> Iterator[Panel]:
    """Yield how many releases there were: a part of few says little."""
    s = on.scope
    yield Panel(
        title="Releases of a week",
        says="Syncs and rollouts that ended within a week, by result.",
        kind="stacked",
        queries=(Query(expr=f"sum by (result) ({s.of(RELEASES)})", legend="{{result}}"),),
        least=0,
    )
    yield Panel(
        title="Failed releases",
        says="Syncs and rollouts that failed within a day.",
        kind="lines",
        queries=(Query(expr=f"sum by (project, name) ({s.of(RELEASE_FAILURES)})", legend="{{project}} {{name}}"),),
        limit=above(on.thresholds.release_failures),
        least=0,
    )


def _legend(labels: str) -> str:
    return " ".join(f"{{{{{name}}}}}" for name in labels.split(", "))


def glance(on: Context) -> Iterator[Panel]:
    """Yield the numbers of serving."""
    s = on.scope
    yield stat("Requests", "Requests that are answered, a second.", f"sum({s.of(REQUESTS)})", "reqps")
    yield stat("Slowest", "Highest latency of all models.", f"max({s.of(LATENCY)})", "s")
    yield stat(
        "Beyond the promise",
        "Part of the requests of an hour that took longer than promised; the worst model.",
        f"max({s.of(SLOW_1H)})",
        "percentunit",
    )


def promises(on: Context) -> Iterator[Panel]:
    """Yield how much of the promise is used up, and how fast."""
    s = on.scope
    windows = {"5 min": SLOW_5M, "1 h": SLOW_1H, "6 h": SLOW_6H}
    yield Panel(
        title="Requests beyond the promise",
        says="Part of the requests that took longer than promised, over windows of different length.",
        kind="lines",
        queries=tuple(
            Query(expr=f"max by (task_pool, model) ({s.of(one)})", legend=f"{{{{task_pool}}}} {{{{model}}}} {name}")
            for name, one in windows.items()
        ),
        unit="percentunit",
        least=0,
    )
    yield Panel(
        title="Burn rate",
        says="How many times faster than allowed the promise is used up, over one hour: at 1 it lasts as long as it should, "
        "at 14.4 a month's allowance is gone in two days.",
        kind="lines",
        queries=tuple(
            Query(
                expr=f"max by (model) ({s.of(SLOW_1H, task_pool=name)}) / {number(slo.budget)}",
                legend=f"{name} {{{{model}}}}",
            )
            for name, slo in _promises(on)
        ),
        limit=above(14.4),
        least=0,
    )


def _promises(on: Context) -> Iterator[tuple[str, Slo]]:
    """Yield the task pools that promise something, with the promise."""
    for cohort, serving in scrapes.serving_pools(on.cluster):
        if serving.slo:
            yield cohort.task_pool.name, serving.slo
