"""Values that lie beside the chart itself: it reads what its own version reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.inventory.assumed import Assumed
from gpuplan.lint import lint

VALUES = "enableKueueViz: false\ncontrollerManager: {kubeRbacProxy: {image: {tag: v0.8.0}}}\n"


@pytest.mark.parametrize(("chart", "found"), [("kueue", False), ("platform", True)])
def test_a_chart_reads_its_own_values(tmp_path: Path, chart: str, found: bool) -> None:
    (tmp_path / "Chart.yaml").write_text(f"apiVersion: v2\nname: {chart}\nversion: 0.9.1\n", encoding="utf-8")
    (tmp_path / "values.yaml").write_text(VALUES, encoding="utf-8")
    rules = {one.rule for one in lint([tmp_path], Assumed()).findings}
    assert ("kueue/unknown-value-key" in rules) == found
