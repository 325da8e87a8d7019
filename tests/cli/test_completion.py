"""What the Tab key gives, tried in bash with the script that `gpuplan completion bash` prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.transcript import ENVIRONMENT, in_process

ROOT = Path(__file__).parents[2]
FLEET = """\
clusters: {prod-eu: {kubernetes: "1.36"}, prod-us: {kubernetes: "1.36"}, lab: {kubernetes: "1.36"}}
nodePools: {a: {tier: not-yet-written}}
"""


@pytest.fixture
def gpuplan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a program `gpuplan`, and stand where a fleet is."""
    monkeypatch.chdir(tmp_path)
    Path("fleet").mkdir()
    Path("fleet/fleet.yaml").write_text(FLEET, encoding="utf-8")
    program = tmp_path / "bin" / "gpuplan"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m gpuplan "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return program.parent


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gpuplan c", "cards check ci comment compat completion cost"),
        ("gpuplan render --al", "--allow-empty"),
        ("gpuplan check --output-format s", "sarif"),
        ("gpuplan render --cluster prod", "prod-eu prod-us"),
        ("gpuplan compat --cluster l", "lab"),
        ("gpuplan show --fleet nowhere --cluster p", ""),
        ("gpuplan rule yaml/dup", "yaml/duplicate-key"),
        ("gpuplan cards l40", "l40 l40s"),
        ("gpuplan explain node", "nodePools"),
        ("gpuplan explain teams.vision.nam", "teams.vision.namespaces"),
        ("gpuplan explain nothing.", ""),
        ("gpuplan completion ", "bash zsh fish"),
    ],
)
def test_bash_completes(gpuplan: Path, line: str, expected: str) -> None:
    words = line.split(" ")
    script = f"""
        source <(gpuplan completion bash) || exit 1
        COMP_WORDS=({" ".join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
        _gpuplan_completion gpuplan
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "PATH": f"{gpuplan}:{ENVIRONMENT['PATH']}"},
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("shell", "mark"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --no-files")]
)
def test_each_shell_gets_a_script_of_its_own(shell: str, mark: str) -> None:
    outcome = in_process(["completion", shell])
    assert mark in outcome.stdout
    assert "_GPUPLAN_COMPLETE" in outcome.stdout
    assert outcome.exit_code == 0
