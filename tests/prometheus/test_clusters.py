"""A store of several clusters, whose Prometheus run twice: each is billed once, and can be chosen."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuplan.emit.monitoring import series
from tests.cli.transcript import in_process
from tests.prometheus.bed import Bed, Line, backfilled, open_metrics, seconds

START = seconds("2025-06-01T00:00:00+00:00")
END = START + 2 * 3600
ASKED = ("--from", "2025-06-01", "--to", "2025-06-01T02:00", "--output-format", "json")


def cluster(name: str, price: float) -> Iterator[Line]:
    """Yield four cards, of which a team holds one, as one Prometheus sends them."""

    def line(what: series.Series, value: float, **labels: str) -> Line:
        return Line(name=what.name, value=value, start=START, end=END, labels={"cluster": name, **labels})

    yield line(series.POOL_BILLED, 4, pool="a")
    yield line(series.POOL_COST, 4 * price, pool="a", currency="USD")
    yield line(series.TEAM_BILLED, 1, pool="a", team="vision")
    yield line(series.TEAM_COST, price, pool="a", team="vision", currency="USD")
    yield line(series.UNALLOCATED_COST, 3 * price, pool="a", currency="USD")


def replica(lines: Iterator[Line], name: str, *, end: int = END, every: int = 60) -> Iterator[Line]:
    for line in lines:
        labels = {**line.labels, "prometheus_replica": name}
        yield dataclasses.replace(line, labels=labels, end=end, every=every)


@pytest.fixture(scope="module")
def store(servers: Bed, prometheuses: tuple[Path, ...], promtool: Path) -> str:
    lines = (
        *replica(cluster("prod-eu", 2), "one"),
        *replica(cluster("prod-eu", 2), "two", end=END - 1800),  # it was restarted
        *replica(cluster("prod-us", 3), "one", end=END - 3600),
        *replica(cluster("lab", 1), "one", every=30),
    )
    data = backfilled(promtool, open_metrics(lines), servers.folder / "store")
    return servers.prometheus(prometheuses[0], data, name="store")


def bill(url: str, *more: str, code: int = 0) -> Any:
    made = in_process(["cost", "--prometheus", url, *ASKED, *more])
    assert made.exit_code == code, made.stderr
    return json.loads(made.stdout)


def test_two_replicas_are_billed_once_with_the_samples_of_the_one_that_has_more(store: str) -> None:
    (only,) = bill(store, "--cluster", "prod-eu")["bills"]
    assert only["rows"][-1]["allocated"] == {"hours": "8.00", "money": "16.00"}
    assert only["check"]["difference"] == "0.00"


def test_clusters_are_chosen_and_seen_each_for_itself(store: str) -> None:
    made = bill(store, "--cluster", "prod-us", "--cluster", "prod-eu", "--by", "pool")
    (only,) = made["bills"]
    assert [(row["pool"], row["cluster"], row["capacity"]["money"]) for row in only["rows"]] == [
        ("a", "prod-eu", "16.00"),
        ("a", "prod-us", "12.00"),
        ("", "", "28.00"),
    ]
    assert [(one["cluster"], one["seen"], one["minutes"]) for one in made["coverage"]] == [
        ("prod-eu", 120, 120),
        ("prod-us", 60, 120),
    ]


def test_samples_closer_than_a_minute_are_told_since_they_make_the_bill_too_high(store: str) -> None:
    assert bill(store, "--cluster", "prod-us")["cautions"] == []
    (caution,) = bill(store, "--cluster", "lab", code=1)["cautions"]
    assert "more than one sample a minute of lab" in caution
    assert "interval: 60s" in caution


def test_an_unknown_cluster_is_wrong_usage_with_the_one_that_was_meant(store: str) -> None:
    made = in_process(["cost", "--prometheus", store, *ASKED, "--cluster", "prod-uk"])
    assert (made.exit_code, made.stdout) == (2, "")
    assert "No series are of a cluster 'prod-uk'. Did you mean 'prod-" in made.stderr
