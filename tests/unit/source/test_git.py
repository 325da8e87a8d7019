"""States of the past are taken out of real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gpuplan.diagnostics import Diagnostic
from gpuplan.source.git import Checkout, checkout

IDENTITY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **IDENTITY}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository whose first commit has the tag v1 and another quota than its second."""
    root = tmp_path / "repository"
    (root / "infra/rendered/a").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitattributes").write_text("*.yaml export-ignore text eol=crlf\n")
    (root / "infra/rendered/a/queue.yaml").write_bytes(b"quota: 8\n")
    (root / "infra/rendered/a/Kn\xc3\xb6del \xe2\x98\x83 'x'.yaml".encode("latin-1").decode()).write_text("a: 1\n")
    (root / "infra/rendered/inside").symlink_to("a")
    (root / "infra/rendered/outside").symlink_to("/etc/hostname")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "tag", "v1")
    (root / "infra/rendered/a/queue.yaml").write_bytes(b"quota: 9\n")
    git(root, "commit", "-qam", "second")
    return root


def taken(ref: str, path: Path, into: Path) -> Path:
    found = checkout(ref, [path], into)
    assert isinstance(found, Checkout), found
    return found.folders[0]


def refused(ref: str, path: Path, into: Path) -> Diagnostic:
    found = checkout(ref, [path], into)
    assert isinstance(found, Diagnostic), found
    assert not into.exists()
    return found


@pytest.mark.parametrize("ref", ["v1", "HEAD~1", "main^"])
def test_files_are_those_of_the_commit_byte_by_byte_whatever_attributes_say(
    repository: Path, tmp_path: Path, ref: str
) -> None:
    folder = taken(ref, repository / "infra/rendered", tmp_path / "old")
    assert (folder / "a/queue.yaml").read_bytes() == b"quota: 8\n"
    assert sorted(path.name for path in folder.rglob("*")) == sorted(
        path.name for path in (repository / "infra/rendered").rglob("*")
    )


def test_a_link_is_a_link_only_where_it_stays_inside(repository: Path, tmp_path: Path) -> None:
    folder = taken("v1", repository / "infra/rendered", tmp_path / "old")
    assert (folder / "inside/queue.yaml").read_bytes() == b"quota: 8\n"
    assert not (folder / "outside").is_symlink()
    assert (folder / "outside").read_text() == "/etc/hostname"


def test_it_works_in_a_folder_below_and_with_relative_paths(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "infra")
    assert (taken("v1", Path("rendered"), tmp_path / "old") / "a/queue.yaml").read_bytes() == b"quota: 8\n"


def test_it_works_in_a_worktree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "v1")
    folder = taken("main", tmp_path / "tree/infra/rendered", tmp_path / "new")
    assert (folder / "a/queue.yaml").read_bytes() == b"quota: 9\n"


def test_a_folder_that_the_commit_lacks_is_no_fault_and_does_not_exist(repository: Path, tmp_path: Path) -> None:
    found = checkout("v1", [repository / "infra/rendered", repository / "new/rendered"], tmp_path / "old")
    assert isinstance(found, Checkout)
    assert found.commit == git(repository, "rev-parse", "v1")
    assert [folder.exists() for folder in found.folders] == [True, False]


@pytest.mark.parametrize("ref", ["--output=x", "-h", "--all", "--end-of-options", ""])
def test_a_ref_that_looks_like_an_option_is_only_unknown(
    repository: Path, tmp_path: Path, ref: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert refused(ref, repository / "infra", tmp_path / "old").rule == "git/unknown-ref"
    assert git(repository, "status", "--porcelain") == ""


def test_an_unknown_ref_comes_with_the_nearest_name(repository: Path, tmp_path: Path) -> None:
    found = refused("mian", repository, tmp_path / "old")
    assert (found.rule, found.fix) == ("git/unknown-ref", "Did you mean 'main'?")


def test_a_shallow_clone_says_what_to_fetch(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "clone")
    for ref, words in {"v1": "--unshallow", "origin/next": "origin next:refs/remotes/origin/next"}.items():
        found = refused(ref, tmp_path / "clone", tmp_path / "old")
        assert found.rule == "git/unknown-ref"
        assert words in found.fix


def test_no_repository_no_git_and_a_foreign_folder_are_findings(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused("main", tmp_path, tmp_path / "old").rule == "git/no-repository"
    found = checkout("main", [repository, tmp_path], tmp_path / "old")
    assert isinstance(found, Diagnostic)
    assert found.rule == "git/outside"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused("main", repository, tmp_path / "old").rule == "git/absent"


def test_a_blob_that_is_lost_is_a_finding(repository: Path, tmp_path: Path) -> None:
    blob = git(repository, "rev-parse", "v1:infra/rendered/a/queue.yaml")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert refused("v1", repository / "infra", tmp_path / "old").rule == "git/failed"


def test_of_what_the_work_tree_still_has_nothing_is_taken_out_where_only_changes_are_asked_for(
    repository: Path, tmp_path: Path
) -> None:
    tree = repository / "infra/rendered"
    (tree / "new file.yaml").write_text("a: 1\n")
    (tree / "staged.yaml").write_text("a: 1\n")
    (tree / "inside").unlink()
    git(repository, "add", "infra/rendered/staged.yaml")
    found = checkout("v1", [tree, repository], tmp_path / "old", changed_only=True)
    assert isinstance(found, Checkout)
    assert found.changed is not None
    assert found.changed[0] == {"a/queue.yaml", "new file.yaml", "staged.yaml", "inside"}
    assert found.changed[1] == {f"infra/rendered/{path}" for path in found.changed[0]}
    taken_out = {path.relative_to(found.folders[0]).as_posix() for path in found.folders[0].rglob("*")}
    assert taken_out == {"a", "a/queue.yaml", "inside"}
    alone = checkout("v1", [tree / "a/queue.yaml"], tmp_path / "file", changed_only=True)
    assert isinstance(alone, Checkout)
    assert alone.changed == (frozenset({""}),)
