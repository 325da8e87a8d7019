"""Which commit a change is compared with, in the clones that CI systems make."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuplan.cli.merge_base import Git, merge_base
from gpuplan.forge.sticky import Problem
from tests.ci.repositories import ENVIRONMENT, checked_out, commit, git, merged, started

MAIN, BRANCH = "main", "feature/a-b"
GITHUB = {"GITHUB_BASE_REF": MAIN}
GITLAB = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": MAIN}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose branch left main 60 commits ago; main went on for 3 since."""
    folder = started(tmp_path_factory.mktemp("made") / "remote")
    for number in range(5):
        commit(folder, f"before {number}")
    git(folder, "branch", "fork-point")
    git(folder, "checkout", "--quiet", "-b", BRANCH)
    for number in range(60):
        commit(folder, f"change {number}", change=str(number))
    git(folder, "checkout", "--quiet", MAIN)
    for number in range(3):
        commit(folder, f"later {number}", later=str(number))
    merged(folder, BRANCH, MAIN)
    git(folder, "checkout", "--quiet", MAIN)
    return folder


@pytest.fixture
def remote(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "remote"))


def found(folder: Path, said: str | None = None, **environ: str) -> str | Problem:
    return merge_base(Git(folder=folder, environment={**ENVIRONMENT, **environ}), said)


@pytest.mark.parametrize("depth", [None, 1, 20])
@pytest.mark.parametrize("environ", [GITHUB, GITLAB])
def test_a_branch_is_compared_with_where_it_left_the_target(
    remote: Path, tmp_path: Path, depth: int | None, environ: dict[str, str]
) -> None:
    clone = checked_out(remote, tmp_path / "clone", f"refs/heads/{BRANCH}", depth=depth)
    assert found(clone, **environ) == git(remote, "rev-parse", "fork-point")


@pytest.mark.parametrize("depth", [None, 1])
def test_a_merge_commit_is_compared_with_the_target_that_it_was_merged_into(
    remote: Path, tmp_path: Path, depth: int | None
) -> None:
    clone = checked_out(remote, tmp_path / "clone", "refs/pull/5/merge", depth=depth)
    assert found(clone, **GITHUB) == git(remote, "rev-parse", MAIN)


def test_a_target_that_went_on_after_the_merge_commit_was_made_changes_nothing(remote: Path, tmp_path: Path) -> None:
    merged_into = git(remote, "rev-parse", MAIN)
    commit(remote, "newer")
    clone = checked_out(remote, tmp_path / "clone", "refs/pull/5/merge", depth=1)
    assert found(clone, **GITHUB) == merged_into


def test_a_ref_that_is_named_beats_what_the_environment_says(remote: Path) -> None:
    git(remote, "checkout", "--quiet", BRANCH)
    assert found(remote, "fork-point~2", **GITHUB) == git(remote, "rev-parse", "fork-point~2")
    assert found(remote, MAIN, **GITHUB) == git(remote, "rev-parse", "fork-point")


def test_without_a_hint_it_is_the_remotes_default_branch_else_only_what_is_not_committed(
    remote: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", "--branch", BRANCH, remote.as_uri(), "clone")
    assert found(tmp_path / "clone") == git(remote, "rev-parse", "fork-point")
    git(tmp_path / "clone", "remote", "remove", "origin")
    assert found(tmp_path / "clone") == git(remote, "rev-parse", BRANCH)


def test_a_folder_is_taken_as_it_is_with_or_without_git(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    assert found(tmp_path, "old") == "old"


PROBLEMS = {
    "no repository": (
        None,
        {},
        "There is nothing to compare with: not a git repository (or any of the parent directories): .git.",
    ),
    "no such ref": ("nowhere", {}, "There is no commit 'nowhere' to compare with."),
    "no such branch": (None, {"GITHUB_BASE_REF": "gone"}, "There is no commit 'origin/gone' to compare with."),
    "what no remote has": ("HEAD~99", {}, "There is no commit 'HEAD~99' to compare with."),
    "an option for a ref": ("--output=x", {}, "There is no commit '--output=x' to compare with."),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_what_cannot_be_found_is_said_with_what_to_do(remote: Path, tmp_path: Path, case: str) -> None:
    said, environ, summary = PROBLEMS[case]
    folder = tmp_path if case == "no repository" else remote
    problem = found(folder, said, **environ)
    assert isinstance(problem, Problem)
    assert problem.summary == summary
    assert problem.fix
    assert "git fetch origin HEAD" not in problem.fix
    assert not (folder / "x").exists()


def test_a_shallow_clone_whose_remote_is_gone_says_to_fetch_everything(remote: Path, tmp_path: Path) -> None:
    clone = checked_out(remote, tmp_path / "clone", f"refs/heads/{BRANCH}", depth=1)
    git(clone, "fetch", "--quiet", "--depth=1", "origin", f"refs/heads/{MAIN}:refs/remotes/origin/{MAIN}")
    remote.rename(tmp_path / "away")
    problem = found(clone, **GITHUB)
    assert isinstance(problem, Problem)
    assert "fetch-depth: 0" in problem.fix
    assert "The clone is shallow, and git said: fatal" in problem.fix


def test_histories_that_have_nothing_in_common_are_a_problem(remote: Path) -> None:
    git(remote, "checkout", "--quiet", "--orphan", "other")
    commit(remote, "of its own")
    problem = found(remote, MAIN)
    assert isinstance(problem, Problem)
    assert "no commit in common" in problem.summary
