"""Cases of the alerts on latency: one model of the first task pool, asked once a second unless a case says otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.alerts import Case
from gpuplan.emit.monitoring.scenes import series as written
from gpuplan.emit.monitoring.served import Served

MODEL = "llama"
ASKED = "0+60x500"
"""A request a second."""
RARELY = "0x60 5x440"
"""Five requests in eight hours."""
NOBODY = "900x500"
FIRST = "_x60 0 2x440"
"""The first two requests of a model that has just been released."""


def burn(one: Served, *, long: bool) -> tuple[Case, ...]:
    """Return the cases of an alert on a burning budget; `long` for the one that looks at six hours."""
    at = "390m" if long else "80m"
    return (
        Case(
            kind="firing",
            name="every request is late",
            inputs=_histogram(one, one.bound, kept="0x500", asked=ASKED),
            at=at,
            fires=(_labels(one),),
        ),
        Case(
            kind="healthy",
            name="every request is in time",
            inputs=_histogram(one, _in_python(one.bound), kept=ASKED, asked=ASKED),
            at=at,
        ),
        Case(kind="absent", name="the engine has no such bucket", inputs=_counts(one, ASKED), at=at),
        Case(
            kind="edge",
            name="five late requests are no trend",
            inputs=_histogram(one, one.bound, kept="0x500", asked=RARELY),
            at="64m",
        ),
        Case(
            kind="edge",
            name="the first requests of a new release are late",
            inputs=_histogram(one, one.bound, kept="_x60 0x440", asked=FIRST),
            at="65m",
        ),
        Case(
            kind="edge",
            name="nobody asks any more",
            inputs=_histogram(one, one.bound, kept="0x500", asked=NOBODY),
            at=at,
        ),
    )


def mean(one: Served) -> tuple[Case, ...]:
    """Return the cases of the alert on a mean; times are sums in microseconds."""
    promised = one.serving.slo.latency_milliseconds * 1000 if one.serving.slo else 0
    return (
        Case(
            kind="firing",
            name="a request takes twice as long as promised",
            inputs=_sums(one, f"0+{120 * promised}x500", ASKED),
            at="80m",
            fires=(_labels(one),),
        ),
        Case(
            kind="healthy",
            name="a request takes half as long as promised",
            inputs=_sums(one, f"0+{30 * promised}x500", ASKED),
            at="80m",
        ),
        Case(
            kind="absent",
            name="the engine does not tell how long requests take",
            inputs=_facts(one) | {_series(one, one.requests): ASKED},
            at="80m",
        ),
        Case(
            kind="edge",
            name="five late requests are no trend",
            inputs=_sums(one, f"0x60 {10 * promised}x440", RARELY),
            at="64m",
        ),
        Case(
            kind="edge",
            name="the first requests of a new release take long",
            inputs=_sums(one, f"_x60 0 {20 * promised}x440", FIRST),
            at="65m",
        ),
    )


def _labels(one: Served) -> Mapping[str, str]:
    """Return the labels of an alert on the model."""
    team = one.cohort.queues[0].team
    model = {"model": MODEL} if one.engine.model_label else {}
    return {"namespace": team.namespaces[0], "task_pool": one.name, "team": team.name, **model}


def _series(one: Served, name: str, **more: str) -> str:
    model = {one.engine.model_label: MODEL} if one.engine.model_label else {}
    place = {"namespace": one.cohort.queues[0].team.namespaces[0], "task_pool": one.name}
    return written(name, **place, pod=f"{one.name}-0", **model, **more)


def _facts(one: Served) -> dict[str, str]:
    team = one.cohort.queues[0].team
    return {written(series.NAMESPACE_TEAM, namespace=team.namespaces[0], team=team.name): "1x500"}


def _counts(one: Served, asked: str) -> dict[str, str]:
    return {**_facts(one), _series(one, one.requests): asked, _series(one, f"{one.measured}_count"): asked}


def _histogram(one: Served, bound: str, *, kept: str, asked: str) -> dict[str, str]:
    buckets = {
        _series(one, f"{one.measured}_bucket", le=bound): kept,
        _series(one, f"{one.measured}_bucket", le="+Inf"): asked,
    }
    return {**_counts(one, asked), **buckets}


def _sums(one: Served, spent: str, asked: str) -> dict[str, str]:
    return {**_facts(one), _series(one, one.requests): asked, _series(one, one.measured): spent}


def _in_python(bound: str) -> str:
    return bound if "." in bound else f"{bound}.0"
