"""The hooks, run by pre-commit itself on a sample repository.

pre-commit installs hooks into an environment of their own from a package index. Here they run with the gpuplan of this tree, by
`language: system`; everything else is as the file of hooks says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci.repositories import ENVIRONMENT, git
from tests.ci.runners import ROOT
from tests.ci.sample import repository
from tests.cli.transcript import TODAY

BIN = Path(sys.executable).parent
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def pre_commit(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=folder,
        env={
            **ENVIRONMENT,
            "PATH": f"{BIN}:{ENVIRONMENT['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PRE_COMMIT_HOME": str(folder.parent / "cache"),
            "PRE_COMMIT_COLOR": "never",
            "GPUPLAN_TODAY": TODAY,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def hooks() -> list[dict[str, object]]:
    import yaml  # noqa: PLC0415 - a list at the root is no document of a fleet

    read = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert isinstance(read, list)
    return read


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder = repository(tmp_path_factory.mktemp("hooks") / "fleet", "none", monkeypatch, render=True)
    local = [{**hook, "language": "system"} for hook in hooks()]
    (folder / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [{"repo": "local", "hooks": local}]}))
    git(folder, "add", ".pre-commit-config.yaml")
    git(folder, "commit", "--quiet", "--message", "hooks")
    return folder


@pytest.fixture
def clone(made: Path) -> Path:
    git(made, "reset", "--quiet", "--hard")
    git(made, "clean", "--quiet", "-fd")
    return made


def staged(folder: Path, old: str, new: str) -> None:
    file = folder / "fleet/fleet.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    git(folder, "add", "fleet")


def verdicts(said: str) -> dict[str, str]:
    """What pre-commit says of each hook."""
    names = [str(hook["name"]) for hook in hooks()]
    found = [(name, line) for line in said.splitlines() for name in names if line.startswith(f"{name}..")]
    return {name: line.rpartition(".")[2].partition(")")[2] or line.rpartition(".")[2] for name, line in found}


def test_the_file_of_hooks_is_valid() -> None:
    assert pre_commit(ROOT, "validate-manifest", str(HOOKS)) == (0, "")
    assert [hook["id"] for hook in hooks()] == ["gpuplan-check", "gpuplan-render-check", "gpuplan-render"]
    assert all(hook["language"] == "python" for hook in hooks())


def test_a_fresh_repository_passes(clone: Path) -> None:
    code, said = pre_commit(clone, "run", "--all-files")
    assert (code, set(verdicts(said).values())) == (0, {"Passed"}), said


def test_a_commit_that_touches_no_fleet_runs_nothing(clone: Path) -> None:
    (clone / "README").write_text("more")
    git(clone, "add", "README")
    code, said = pre_commit(clone, "run")
    assert (code, set(verdicts(said).values())) == (0, {"Skipped"}), said


def test_an_error_in_the_spec_stops_the_commit_with_its_place(clone: Path) -> None:
    staged(clone, "guaranteed: 8", "guaranteed: 80")
    code, said = pre_commit(clone, "run", "gpuplan-check")
    assert (code, verdicts(said)) == (1, {"gpuplan check": "Failed"}), said
    assert "fleet/fleet.yaml:11:70 error quota/over-capacity" in said


def test_output_that_is_stale_stops_the_commit_and_rendering_it_lets_it_pass(clone: Path) -> None:
    staged(clone, "guaranteed: 8", "guaranteed: 10")
    code, said = pre_commit(clone, "run", "gpuplan-render-check")
    assert (code, verdicts(said)) == (1, {"gpuplan render --check": "Failed"}), said
    code, said = pre_commit(clone, "run", "gpuplan-render")
    assert (code, verdicts(said)) == (1, {"gpuplan render": "Failed"}), said
    assert "files were modified by this hook" in said
    git(clone, "add", "rendered")
    assert pre_commit(clone, "run")[0] == 0


def test_what_is_not_staged_does_not_count(clone: Path) -> None:
    staged(clone, "guaranteed: 8", "guaranteed: 80")
    file = clone / "fleet/fleet.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("guaranteed: 80", "guaranteed: 8"), encoding="utf-8")
    assert pre_commit(clone, "run", "gpuplan-check")[0] == 1
