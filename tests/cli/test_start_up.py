"""What a run costs before it does anything: imports and processor time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"pydantic", "yaml", "rich", "jinja2", "jsonschema_rs", "grafana_foundation_sdk"}
COMPLETION = {"_GPUPLAN_COMPLETE": "bash_complete", "COMP_WORDS": "gpuplan ", "COMP_CWORD": "1"}


def heavy_modules(code: str, **environ: str) -> set[str]:
    """Return the heavy packages that code imports in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint()\nprint(*sys.modules)"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()} & HEAVY


@pytest.mark.parametrize("arguments", ["--version", "--help", "chekc"])
def test_what_needs_no_fleet_imports_nothing_heavy(arguments: str) -> None:
    assert heavy_modules("import gpuplan.cli") == set()
    assert heavy_modules(f"import gpuplan.cli as c; c.run([{arguments!r}])") == set()


def test_completing_the_name_of_a_command_imports_none() -> None:
    assert heavy_modules("import gpuplan.cli as c; c.run([])", **COMPLETION) == set()


def test_a_command_imports_what_it_needs() -> None:
    assert heavy_modules("import gpuplan.cli as c; c.run(['check'])") >= {"pydantic", "yaml"}


def cpu_seconds(*arguments: str) -> float:
    """Return the least of five runs of Python: user and system time, which a busy machine hardly changes."""
    return min(_cpu_seconds(*arguments) for _ in range(5))


def _cpu_seconds(*arguments: str) -> float:
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def test_version_costs_at_most_120_ms_more_than_python_itself() -> None:
    assert cpu_seconds("-m", "gpuplan", "--version") - cpu_seconds("-c", "pass") <= 0.12
