"""Rules on serving, training and releases: their own cases hold for fleets with each engine, and further ones for one fleet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuplan.emit.monitoring import publish
from gpuplan.model.fleet import Fleet
from tests.build import fleet
from tests.promtool.test_promtool import promtools, run

__all__ = ["promtools"]
HERE = Path(__file__).parent / "business"
SPEC = (HERE / "fleet.yaml").read_text(encoding="utf-8")
CASES = sorted(path for path in HERE.glob("*.yaml") if path.stem != "fleet")
GROUPS = ("serving", "training", "releases")
ENGINES = {
    "each engine": SPEC,
    **{
        f"{engine} alone": SPEC.replace("engine: vllm, slo", f"engine: {engine}, slo").replace("{chat: {}, ", "{")
        for engine in ("sglang", "tgi", "triton")
    },
}


def text(made: Fleet, group: str, kind: str) -> str:
    """Return a rendered file of a group: its `rules` or their `test`."""
    (found,) = [
        one for one in publish.texts(made, made.clusters[0]) if one.path == f"prometheus/eu/gpuplan-{group}.{kind}.yaml"
    ]
    return found.text


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("name", ["each engine"])
def test_every_case_of_an_alert_holds(promtools: list[Path], tmp_path: Path, group: str, name: str) -> None:
    made = fleet(ENGINES[name])
    for kind in ("rules", "test"):
        (tmp_path / f"gpuplan-{group}.{kind}.yaml").write_text(text(made, group, kind), encoding="utf-8")
    for tool in promtools:
        run(tool, "check", "rules", "--lint=all", "--lint-fatal", f"gpuplan-{group}.rules.yaml", folder=tmp_path)
        run(tool, "test", "rules", f"gpuplan-{group}.test.yaml", folder=tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_records_and_alerts_are_what_the_inputs_say(promtools: list[Path], tmp_path: Path, case: Path) -> None:
    made = fleet(SPEC)
    for group in GROUPS:
        (tmp_path / f"{group}.rules.yaml").write_text(text(made, group, "rules"), encoding="utf-8")
    shutil.copy(case, tmp_path / case.name)
    for tool in promtools:
        run(tool, "test", "rules", case.name, folder=tmp_path)
