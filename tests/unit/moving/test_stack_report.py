"""The runbook and the data of a pool's way: commands that a shell takes, and a spec that stays in style."""

from __future__ import annotations

import json
import subprocess

import pytest

from gpuplan.format.write import styled
from gpuplan.moving.stack import Road
from gpuplan.report import migration
from tests.unit.moving.test_stack import FLEET, found, texts


@pytest.fixture(scope="module", params=["l40s-a", "desk-a"])
def road(request: pytest.FixtureRequest) -> Road:
    return found(styled(FLEET), str(request.param))


def test_a_spec_in_style_is_in_style_after_each_step(road: Road) -> None:
    assert [styled(text) for text in texts(road)] == texts(road)


def test_the_data_holds_every_step_with_its_way_back(road: Road) -> None:
    data = json.loads(json.dumps(migration.data(road)))
    assert (data["format_version"], data["from"], data["to"], data["done"]) == (1, "manual", "operator", 0)
    assert [step["step"] for step in data["steps"]] == [1, 2, 3, 4, 5, 6]
    for step in data["steps"]:
        forth, back = step["forward"], step["rollback"]
        assert forth["until"]
        assert back["until"]
        assert [edit["path"] for edit in forth["edits"]] == [edit["path"] for edit in back["edits"]]
        assert forth["edits"] != back["edits"]


def test_the_runbook_says_every_step_and_the_commands_that_take_it_there_and_back(road: Road) -> None:
    text = migration.runbook(road, "my fleet")
    for number in range(1, 7):
        assert f"## Step {number}:" in text
        for option in ("--apply-step", "--rollback-step"):
            assert (
                f"gpuplan migrate-stack --pool {road.move.pool} --to operator {option} {number} --fleet 'my fleet'"
                in text
            )
    assert "{{" not in text
    assert "gpuplan verify --cluster main" in text


def test_every_command_is_one_that_a_shell_takes(road: Road) -> None:
    def commands(passage: object) -> list[str]:
        if isinstance(passage, dict):
            own = passage.get("commands", [])
            return [*own, *(one for value in passage.values() for one in commands(value))]
        return [one for value in passage for one in commands(value)] if isinstance(passage, list) else []

    script = "\n".join(commands(migration.data(road)["steps"]))
    assert "kubectl drain" in script
    subprocess.run(["bash", "-n", "-c", script], check=True)
