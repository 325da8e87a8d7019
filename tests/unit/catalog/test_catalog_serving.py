"""The table of engines: every purpose has one name a version, and what a promise is measured by can measure it."""

from __future__ import annotations

import re

import pytest

from gpuplan import catalog
from gpuplan.catalog import Engine, ServingMetric
from gpuplan.versions import required

SERVING = catalog.load().serving
every_engine = pytest.mark.parametrize("engine", SERVING.engines.values(), ids=lambda engine: engine.name)
every_metric = pytest.mark.parametrize("metric", SERVING.metrics.values(), ids=lambda metric: metric.name)


@every_metric
def test_a_metric_has_a_legal_name_and_belongs_to_somebody(metric: ServingMetric) -> None:
    assert re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", metric.name)
    assert metric.type in {"gauge", "counter", "histogram"}
    assert metric.of in SERVING.engines.keys() | SERVING.controllers.keys()


@every_metric
def test_a_metric_of_an_engine_names_the_model_as_the_engine_does(metric: ServingMetric) -> None:
    label = SERVING.engines[metric.of].model_label if metric.of in SERVING.engines else ""
    assert not label or label in metric.labels


@every_engine
@pytest.mark.parametrize("purpose", ["requests", "waiting"])
def test_every_engine_counts_its_requests_and_those_that_wait(engine: Engine, purpose: str) -> None:
    assert SERVING.metric(engine.name, purpose)


@every_engine
def test_no_purpose_has_two_names_in_one_version(engine: Engine) -> None:
    own = [one for one in SERVING.metrics.values() if one.of == engine.name]
    edges = {edge for one in own for edge in (one.since, one.until, engine.oldest, engine.newest) if edge}
    for version in (None, *edges):
        purposes = [one.purpose for one in own if one.at(version)]
        assert len(purposes) == len(set(purposes)), version


@every_engine
def test_a_promise_is_measured_by_a_histogram_with_known_bounds_or_by_a_mean(engine: Engine) -> None:
    measured = SERVING.metrics[SERVING.objective(engine.name)]
    assert (measured.type == "histogram") is engine.has_histograms
    assert (measured.name in SERVING.bounds) is engine.has_histograms


@pytest.mark.parametrize("bounds", SERVING.bounds.values(), ids=lambda bounds: bounds.metric)
def test_bounds_rise_and_are_printed_as_go_and_rust_print_them(bounds: catalog.Bounds) -> None:
    values = [float(text) for text in bounds.seconds]
    assert values == sorted(set(values))
    assert [repr(value).removesuffix(".0") for value in values] == list(bounds.seconds)


@pytest.mark.parametrize(
    ("purpose", "version", "name"),
    [
        ("cache", "0.9.2", "vllm:gpu_cache_usage_perc"),
        ("cache", "v0.10.0", "vllm:kv_cache_usage_perc"),
        ("cache", "", "vllm:kv_cache_usage_perc"),
        ("betweenTokens", "0.10.2", "vllm:time_per_output_token_seconds"),
        ("betweenTokens", "0.33.0", "vllm:inter_token_latency_seconds"),
    ],
)
def test_the_version_of_an_engine_selects_the_name(purpose: str, version: str, name: str) -> None:
    assert SERVING.metric("vllm", purpose, version) == name


def test_an_engine_without_a_metric_for_a_purpose_has_none() -> None:
    assert SERVING.metric("tgi", "firstToken") == ""


def test_two_seconds_are_no_bound_of_vllm_and_two_and_a_half_are() -> None:
    known = SERVING.bounds[SERVING.objective("vllm")].milliseconds
    assert 2000 not in known
    assert known[2500] == "2.5"


def test_a_bound_that_is_no_whole_number_of_milliseconds_is_rounded() -> None:
    assert SERVING.bounds["tgi_request_duration"].milliseconds[2525].startswith("2.525")


def test_a_metric_that_was_renamed_is_gone_in_the_version_that_renamed_it() -> None:
    old = SERVING.metrics["vllm:gpu_cache_usage_perc"]
    assert old.at(required("0.9"))
    assert not old.at(required("0.10"))
