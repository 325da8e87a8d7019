"""The dashboards over a made-up day in a real Prometheus: every panel has something to show, and the pictures show them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.alerts import record
from gpuplan.model.fleet import Cluster, Fleet
from tests.pictures import __main__ as pictures
from tests.pictures.day import Job, Slot, day, slots
from tests.pictures.draw import answers, picture
from tests.pictures.evaluate import layers
from tests.pictures.samples import MINUTES, Samples, between
from tests.pictures.shapes import written
from tests.pictures.store import Api

FAULTS = {"GpuXidNodeDrain", "GpuMemoryUncorrectable", "GpuThermalMarginLow", "GpuThrottled", "GpuReclaimSpike"}
"""What must be told of the day: a card that falls off the bus, loses data and gets too hot, and workloads that lose cards."""
NEVER = {"GpuNodesUnknown", "GpuCountersMissing", "KueueMetricsMissing", "GpuMetricsUnmapped", "GpuQuotaDrift"}
"""What would mean that the day says less than exporters do, or speaks of another fleet than the spec."""

Day = tuple[Fleet, Cluster, Api, set[str]]


@pytest.fixture(scope="module")
def the_day(promtool: Path, prometheuses: tuple[Path, ...]) -> Iterator[Day]:
    """Run the Prometheus of the day; the tools are asked for first, so that their absence is a skip."""
    assert all(tool.exists() for tool in (promtool, *prometheuses))
    fleet, cluster = pictures.example()
    with pictures.prometheus(fleet, cluster) as (api, fired):
        yield fleet, cluster, api, fired


def test_no_panel_is_empty(the_day: Day) -> None:
    fleet, cluster, api, _ = the_day
    empty = [
        f"{key}: {panel['title']}"
        for key, board in pictures.boards(fleet, cluster).items()
        for panel in board["panels"]
        if panel["type"] != "row"
        if not any((~np.isnan(answer.values)).any() for _, answer in answers(panel, api.over_the_day, {}))
    ]
    assert not empty


def test_the_faults_of_the_day_are_told(the_day: Day) -> None:
    *_, fired = the_day
    assert fired >= FAULTS
    assert not fired & NEVER


def test_a_drawing_has_the_title_of_every_panel_and_is_small_and_the_same_again(the_day: Day) -> None:
    fleet, cluster, api, _ = the_day
    board = pictures.boards(fleet, cluster)["node"]
    chosen = pictures.chosen(cluster)["node"]
    first, second = (picture(board, api.over_the_day, chosen) for _ in range(2))
    assert first == second
    assert len(first) < 300_000
    shown = set(re.findall(r">([^<>]+)</text>", first))
    assert {panel["title"] for panel in board["panels"]} <= shown
    assert "No data" not in shown


def test_the_committed_pictures_show_the_dashboards_as_they_are() -> None:
    assert not pictures.stale()


def test_a_picture_that_is_missing_old_or_of_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "fleet.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "gone.svg").write_text("<svg/>", encoding="utf-8")
    found = pictures.stale(tmp_path)
    assert f"{tmp_path / 'fleet.svg'} is old" in found
    assert f"{tmp_path / 'gone.svg'} shows no dashboard that there is" in found
    assert f"{tmp_path / 'node.svg'} is missing" in found


def test_no_card_is_held_by_more_than_it_offers_and_no_queue_holds_more_than_its_quota() -> None:
    fleet, _ = pictures.example()
    for cluster in fleet.clusters:
        jobs = day(cluster).jobs
        assert all(job.units * job.pods_wanted <= job.budget for job in jobs)
        assert all(job.admitted >= job.submitted for job in jobs if job.pods)
        offered = dict(_offers(cluster))
        for minute in (0, 333, 700, 1000, MINUTES - 1):
            held: dict[tuple[str, Slot], int] = {}
            for job in jobs:
                for slot in _held(job, minute):
                    held[job.resource, slot] = held.get((job.resource, slot), 0) + 1
            assert all(count <= offered[what] for what, count in held.items())


def _offers(cluster: Cluster) -> Iterator[tuple[tuple[str, Slot], int]]:
    for pool in cluster.pools:
        yield from Counter(slots(pool)).items()


def _held(job: Job, minute: int) -> list[Slot]:
    return [slot for pod in job.pods for slot in pod.slots] if job.admitted <= minute < job.ended else []


def test_rules_are_evaluated_after_those_that_they_read() -> None:
    base, middle, top = (series.NODE_POOL, series.POOL_CAPACITY, series.POOL_COST)
    rules = [
        record(top, f"{middle} * 2"),
        record(middle, f"sum({base})"),
        record(base, "kube_pod_info"),
        record(base, "vector(1)"),
    ]
    assert [[rule["record"] for rule in step] for step in layers(rules)] == [
        [base.name, base.name],
        [middle.name],
        [top.name],
    ]


def test_rules_that_read_each_other_are_refused() -> None:
    rules = [record(series.NODE_POOL, series.POOL_COST.name), record(series.POOL_COST, series.NODE_POOL.name)]
    with pytest.raises(AssertionError):
        list(layers(rules))


def test_a_series_is_written_where_it_has_a_value_and_only_if_somebody_asks_for_it() -> None:
    samples = Samples({"up"})
    samples.add("up", {"node": "a", "empty": ""}, between(-5, 3, 0.5))
    samples.add("other", {}, 1.0)
    text = "".join(samples.lines())
    assert text == 'up{node="a"} 0.5 1795478400\nup{node="a"} 0.5 1795478520\n# EOF\n'


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.256, "percentunit", "25.6 %"),
        (5400.0, "s", "1.5 h"),
        (0.25, "s", "250 ms"),
        (0.0, "s", "0 s"),
        (71.0, "celsius", "71 °C"),
        (5190.0, "watt", "5.19 kW"),
        (414.0, "suffix: USD/h", "414 USD/h"),
        (192.0, "short", "192"),
        (float("nan"), "short", "no data"),
    ],
)
def test_numbers_are_written_in_their_unit(value: float, unit: str, text: str) -> None:
    assert written(value, unit) == text
