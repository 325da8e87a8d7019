"""What the catalogue says of metrics, held against the sources that serve them: Kueue's own, and the fields of DCGM."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuplan.catalog import Exporter, Metric, load
from tests.controlplane.modulefiles import KUEUE, Module, module_folder

GO_DCGM = Module(
    path="github.com/NVIDIA/go-dcgm", version="v1.4601.1", checksum="h1:qw4C7oljUOdNrJarvPQdL9keYssgadGgY9B7jfevCog="
)
"""What the exporter 4.6.0-4.8.3 looks names up in."""
METRICS = load().metrics.values()

pytestmark = [pytest.mark.controlplane, pytest.mark.usefixtures("promtool")]  # skips where Go is absent


@pytest.fixture(scope="module")
def kueue() -> str:
    return (module_folder(KUEUE) / "pkg/metrics/metrics.go").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def fields() -> dict[str, int]:
    """The numbers of DCGM's fields, by all names that the exporter takes."""
    folder: Path = module_folder(GO_DCGM)
    text = (folder / "pkg/dcgm/const_fields.go").read_text(encoding="utf-8")
    return {name: int(number) for name, number in re.findall(r'"(DCGM_FI_[A-Z0-9_]+)":\s+(\d+)', text)}


@pytest.mark.parametrize(
    "metric", [one for one in METRICS if one.exporter is Exporter.KUEUE], ids=lambda metric: metric.name
)
def test_kueue_gives_a_metric_the_labels_that_rules_count_on(kueue: str, metric: Metric) -> None:
    _, found, rest = kueue.partition(f'Name:      "{metric.name.removeprefix("kueue_")}"')
    assert found
    listed = rest.partition("[]string{")[2].partition("}")[0]
    assert set(re.findall(r'"([a-z_]+)"', listed)) == set(metric.labels) - {"instance", "job"}


@pytest.mark.parametrize("metric", [one for one in METRICS if one.field_id is not None], ids=lambda metric: metric.name)
def test_the_exporter_knows_a_field_by_its_old_name_and_its_new(fields: dict[str, int], metric: Metric) -> None:
    for name in filter(None, (metric.name, metric.renamed_to)):
        assert fields[name] == metric.field_id
