"""Inference latency: how fast each model answers, and how quickly a promise on it is used up.

Facts: the catalogue's engines. Histograms say how many requests kept to a time, and only for a bound of theirs: 2 s says
nothing where the bounds are 1 and 2.5. Go and Rust print a bound of five seconds as `5`, Python as `5.0`. Triton has no
histogram by default, so that a promise is compared with its mean.

A promise is watched by how fast its budget of slow requests burns, over a long window to be sure and a short one to be
over quickly. The factors are for a month's budget: 14.4 for an hour uses up a fiftieth of it and is worth waking somebody;
6 for six hours uses up a twentieth, and is for the day. A model that hardly anybody asks says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from gpuplan.emit.monitoring import series, serving_cases
from gpuplan.emit.monitoring.alerts import Alert, Group, record
from gpuplan.emit.monitoring.card_series import either
from gpuplan.emit.monitoring.promql import TO_TEAM, number
from gpuplan.emit.monitoring.series import Series
from gpuplan.emit.monitoring.served import Served, served
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import FAST_BURN, SLOW_BURN

LEAST_REQUESTS = 10
"""Requests in an hour below which their latency raises no alert."""
WINDOWS: tuple[tuple[Series, str], ...] = ((series.SLOW_5M, "5m"), (series.SLOW_1H, "1h"), (series.SLOW_6H, "6h"))
_WHO = (
    "{{ with $labels.model }}Model {{ . }}{{ else }}The model{{ end }} of task pool {{ $labels.task_pool }} "
    "in namespace {{ $labels.namespace }}"
)


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield what is recorded and alerted on of a cluster's engines; nothing where none serves."""
    found = tuple(served(fleet, cluster))
    if not found:
        return
    promised = [one for one in found if one.bound]
    records = [record(series.LATENCY, _each(found, _latency)), record(series.REQUESTS, _each(found, _requests))]
    if promised:
        records.extend(record(name, _each(promised, _slow, window)) for name, window in WINDOWS)
    yield Group(name="gpuplan-serving", records=tuple(records), alerts=tuple(_alerts(found)))


def _each(found: Iterable[Served], expression: Callable[..., str], *more: str) -> str:
    """Join an expression over all task pools; those for which it differs in nothing but their name share one.

    The promise matters to the expressions that look at a window alone, which are those on slow requests.
    """
    shared: dict[tuple[str, str, str], list[Served]] = {}
    for one in found:
        shared.setdefault((one.measured, one.requests, one.bound if more else ""), []).append(one)
    return either(_of_team(alike[0], expression(alike[0], _named(alike), *more)) for alike in shared.values())


def _of_team(one: Served, expression: str) -> str:
    """Call the model `model`, and add the team that owns the namespace."""
    label = one.engine.model_label
    if label not in ("", "model"):
        renamed = f'label_replace({expression}, "model", "$1", "{label}", "(.+)")'
        expression = f"max by (namespace, task_pool, model) ({renamed})"
    return f"{expression}\n* {TO_TEAM}"


def _named(pools: Iterable[Served]) -> str:
    names = [one.name for one in pools]
    return f'task_pool="{names[0]}"' if len(names) == 1 else f'task_pool=~"{"|".join(sorted(names))}"'


def _latency(one: Served, pools: str) -> str:
    """Without requests a quantile is no number, which the comparison leaves out."""
    if one.engine.has_histograms:
        buckets = f"sum by ({one.labels}, le) (rate({one.measured}_bucket{{{pools}}}[5m]))"
        return f"(histogram_quantile(0.95, {buckets}) >= 0)"
    spent = f"sum by ({one.labels}) (rate({one.measured}{{{pools}}}[5m]))"
    return f"({spent} / (sum by ({one.labels}) (rate({one.requests}{{{pools}}}[5m])) > 0) / 1000000)"


def _requests(one: Served, pools: str) -> str:
    return f"sum by ({one.labels}) (rate({one.requests}{{{pools}}}[5m]))"


def _slow(one: Served, pools: str, window: str) -> str:
    kept = f"sum by ({one.labels}) (rate({one.measured}_bucket{{{pools}, {one.bucket}}}[{window}]))"
    return f"(1 - {kept} / (sum by ({one.labels}) (rate({one.measured}_count{{{pools}}}[{window}])) > 0))"


def _alerts(found: tuple[Served, ...]) -> Iterator[Alert]:
    fast, slow = _burning(found, FAST_BURN), _burning(found, SLOW_BURN)
    if fast:
        yield _burn(fast, FAST_BURN, "Fast", series.SLOW_1H, series.SLOW_5M)
    if slow:
        yield _burn(slow, SLOW_BURN, "Slow", series.SLOW_6H, series.SLOW_1H)
    means = [one for one in found if one.serving.slo and not one.engine.has_histograms]
    if means:
        yield _mean(means)


def _burning(found: Iterable[Served], factor: Fraction) -> list[Served]:
    """Return the task pools whose budget can burn so fast; of the others an alert could never fire."""
    return [one for one in found if one.bound and one.serving.slo and one.serving.slo.can_burn(factor)]


def _burn(found: list[Served], factor: Fraction, name: str, long: Series, short: Series) -> Alert:
    limits: dict[str, list[Served]] = {}
    for one in found:
        if one.serving.slo:
            limits.setdefault(number(factor * one.serving.slo.budget), []).append(one)
    hours = "the last hour" if name == "Fast" else "the last six hours"
    return Alert(
        name=f"InferenceLatencyBurn{name}",
        expr=either(
            f"{long}{{{_named(pools)}}} > {limit}\nand {short}{{{_named(pools)}}} > {limit}\nand {_asked(pools)}"
            for limit, pools in sorted(limits.items())
        ),
        severity="critical" if name == "Fast" else "warning",
        team="",
        summary="A model answers too many requests later than promised.",
        description=f"{_WHO} answered {{{{ $value | humanizePercentage }}}} of the requests of {hours} later than promised, "
        f"{number(factor)} times as many as the promise allows or more. Look whether requests wait for pods that are not "
        "ready, for a full cache or for more traffic than usual; add pods, or take back the last release.",
        cases=serving_cases.burn(found[0], long=name == "Slow"),
    )


def _asked(pools: Iterable[Served]) -> str:
    """Add up the requests of the hour. An average would take the first request of a new release for one a few minutes."""
    return f"sum_over_time({series.REQUESTS}{{{_named(pools)}}}[1h:1m]) * 60 >= {LEAST_REQUESTS}"


def _mean(found: list[Served]) -> Alert:
    limits: dict[str, list[Served]] = {}
    for one in found:
        if one.serving.slo:
            limits.setdefault(number(Fraction(one.serving.slo.latency_milliseconds, 1000)), []).append(one)
    return Alert(
        name="InferenceLatencyHigh",
        expr=either(
            f"{series.LATENCY}{{{_named(pools)}}} > {limit}\nand {_asked(pools)}"
            for limit, pools in sorted(limits.items())
        ),
        wait="10m",
        severity="warning",
        team="",
        summary="A model takes longer on average than promised.",
        description=f"{_WHO} takes {{{{ $value | humanizeDuration }}}} for a request on average, which is longer than "
        "promised. Look at the time that requests wait in Triton's queue; add instances or pods, or take back the last release.",
        cases=serving_cases.mean(found[0]),
    )
