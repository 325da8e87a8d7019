"""The runbook of the example fleet from 2026.05 to 2026.08 on both stacks, and that all three forms say the same."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from gpuplan import pipeline
from gpuplan.model.fleet import Fleet
from gpuplan.moving.upgrade import Upgrade, upgrade
from gpuplan.report import console
from gpuplan.report.upgrade import overview, runbook
from gpuplan.report.upgrade_data import data
from gpuplan.source.yamltext import parse_text
from tests.build import TODAY
from tests.unit.moving.upgrading import target

EXAMPLE = Path(__file__).parents[3] / "fleet"
GOLDEN = Path(__file__).parent / "golden"
STACKS = ("manual", "operator")


def example(folder: Path, stack: str) -> tuple[Fleet, list[Upgrade]]:
    """Return the example as it was in 2026.05, Frankfurt on a stack, with drivers that follow the set, and its upgrade."""
    made = folder / "fleet"
    shutil.copytree(EXAMPLE, made)
    for file in made.glob("*.yaml"):
        text = file.read_text(encoding="utf-8").replace('release: "2026.08"', 'release: "2026.05"')
        text = text.replace('    driver: {branch: "580"}\n', "")
        if stack == "operator":
            text = re.sub(r"(  prod-eu:.*\n)", r"\1    stack: operator\n", text)
            text = text.replace("    nvidiaRuntime: {deviceListStrategy: volume-mounts}\n", "")
        file.write_text(text, encoding="utf-8")
    checked = pipeline.check(made, TODAY, Path("fleet"))
    assert checked.fleet is not None
    return checked.fleet, [upgrade(checked.fleet, cluster, target("2026.08")) for cluster in checked.fleet.clusters]


@pytest.mark.parametrize("stack", STACKS)
def test_the_runbook_of_the_example_is_as_reviewed(tmp_path: Path, stack: str) -> None:
    fleet, made = example(tmp_path, stack)
    found = runbook(fleet, [one for one in made if one.cluster.name == "prod-eu"])
    file = GOLDEN / f"upgrade-{stack}.md"
    if os.environ.get("GPUPLAN_WRITE_GOLDEN"):
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("stack", STACKS)
def test_every_cluster_of_the_example_gets_there_with_nothing_untried(tmp_path: Path, stack: str) -> None:
    _, made = example(tmp_path, stack)
    for one in made:
        assert not one.refused, one.cluster.name
        assert one.steps, one.cluster.name
        assert all(step.untried.is_clean for step in one.steps), one.cluster.name


def test_what_the_runbook_says_to_write_is_yaml_of_the_spec(tmp_path: Path) -> None:
    fleet, made = example(tmp_path, "operator")
    pieces = re.findall(r"```yaml\n(.*?)```", runbook(fleet, made), flags=re.DOTALL)
    steps = [step for one in data(fleet, made)["clusters"] for step in one["steps"]]
    written = [step["edit"]["write"] for step in steps if step["edit"]["write"]]
    assert [parse_text("piece", piece).documents[0].plain() for piece in pieces] == written


def test_a_terminal_names_each_step_and_each_known_problem_of_the_data(tmp_path: Path) -> None:
    fleet, made = example(tmp_path, "manual")
    shown = console.drawn(overview(fleet, made), colour=False, width=200)
    for one in data(fleet, made)["clusters"]:
        for step in one["steps"]:
            assert step["title"] in shown
            assert all(problem["id"] in shown for problem in step["problems"])


def test_the_data_are_json_with_a_version_and_a_source_for_each_fact(tmp_path: Path) -> None:
    fleet, made = example(tmp_path, "operator")
    read = json.loads(json.dumps(data(fleet, made)))
    assert read["format_version"] == "1.0"
    for step in (step for one in read["clusters"] for step in one["steps"]):
        facts = [step["why"], step["rollback"], *step["restarts"], *step["problems"]]
        assert all(fact["source"].startswith("https://") for fact in facts)
