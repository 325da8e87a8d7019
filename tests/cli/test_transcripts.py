"""Every transcript beside this file says what really happens. `make golden` rewrites them, to be read in review."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.transcript import ENVIRONMENT, in_new_process, in_process, played, steps

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))
WRITE = bool(os.environ.get("GPUPLAN_WRITE_GOLDEN"))
IN_CI = bool(os.environ.get("CI"))


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "_GPUPLAN_COMPLETE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_the_command_line_does_what_the_transcript_says(file: Path) -> None:
    expected = file.read_text(encoding="utf-8")
    found = played(expected)
    if WRITE:
        assert not IN_CI, "transcripts are not rewritten in CI"
        file.write_text(found, encoding="utf-8")
    else:
        assert found == expected


def test_each_transcript_opens_with_a_sentence_and_runs_gpuplan() -> None:
    assert TRANSCRIPTS
    for file in TRANSCRIPTS:
        title, todo = steps(file.read_text(encoding="utf-8"))
        assert title.endswith("."), file.name
        assert any(step.path is None and step.text.startswith("gpuplan") for step in todo), file.name


def test_a_process_of_its_own_says_the_same_as_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, arguments in enumerate((["check"], ["chekc"], ["--version"], ["init"], ["rule", "yaml/empty-file"])):
        outcomes = []
        for way in (in_process, in_new_process):
            folder = tmp_path / f"{number}-{way.__name__}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            outcomes.append(way(arguments))
        assert outcomes[0] == outcomes[1], arguments
