"""What the base series say, by Prometheus' own tool in both versions; each with the odd cases that exporters have shipped."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpuplan.emit.monitoring import base_rules, info
from gpuplan.manifests.write import yaml_text
from tests.build import fleet

HERE = Path(__file__).parent / "base"
CASES = sorted(path for path in HERE.glob("*.yaml") if path.stem != "fleet")


@pytest.fixture(scope="module")
def rules() -> str:
    """The rules of facts and base series, of a cluster that has every kind of card."""
    made = fleet((HERE / "fleet.yaml").read_text(encoding="utf-8"))
    groups = [group for builder in (info.groups, base_rules.groups) for group in builder(made, made.clusters[0])]
    return yaml_text({"groups": [{"name": group.name, "rules": list(group.records)} for group in groups]})


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_base_series_say_what_cards_do_and_pods_hold(promtool: Path, tmp_path: Path, rules: str, case: Path) -> None:
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    shutil.copy(case, tmp_path / case.name)
    older = shutil.which("promtool")
    for tool in (promtool, *([Path(older)] if older else [])):
        done = subprocess.run(
            [tool, "test", "rules", case.name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{tool}\n{done.stdout}{done.stderr}"
