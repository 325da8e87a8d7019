"""Six teams and the records that they get: `make golden` rewrites them, to be read in review."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuplan.report.advice import markdown
from gpuplan.report.advice_data import data
from gpuplan.report.machine import json_text
from tests.unit.advise.reading import TEAMS, team

WRITE = bool(os.environ.get("GPUPLAN_WRITE_GOLDEN"))
ADVISED = {
    "ten-nodes-two-experts": {"a100": "manual", "l4": "manual"},
    "three-hundred-nodes": {"h100": "operator", "l40s": "operator", "l40s-west": "operator", "a100-mig": "operator"},
    "stateful-serving-only": {"l40s": "manual", "h200": "manual"},
    "regulated": {"h100": "manual", "l40s": "manual"},
    "mixed-vendors": {"h100": "operator", "a100": "manual", "v100": "manual"},
    "growing-fast": {"l40s": "operator", "h100": "operator", "h100-try": "operator"},
}
"""What each team is advised, pool by pool: the sense of the records in a few words."""


@pytest.mark.parametrize("name", ADVISED)
@pytest.mark.parametrize("kind", ["md", "json"])
def test_a_team_gets_the_record_that_was_reviewed(name: str, kind: str) -> None:
    record = team(name)
    found = markdown(record) if kind == "md" else json_text(data(record))
    file = TEAMS / name / f"record.{kind}"
    if WRITE:
        assert not os.environ.get("CI"), "records are not rewritten in CI"
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ADVISED)
def test_a_team_is_advised_what_fits_it(name: str) -> None:
    record = team(name)
    assert {pool: group.advised for group in record.groups for pool in group.pools} == ADVISED[name]


def test_every_team_has_its_folder() -> None:
    assert {path.name for path in Path(TEAMS).iterdir() if path.is_dir() and path.name != "__pycache__"} == set(ADVISED)
