"""When the system refuses a step of a write, the old tree stays, nothing lies beside it, and the reason is said."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuplan.output import write_tree
from tests.unit.output.trees import VERSION, beside, encoded, in_child, ours, outputs, place, write

OLD = {"a.yaml": "a: 1\n", "d/b.yaml": "b: 1\n"}
NEW = {"a.yaml": "a: 2\n", "d/b.yaml": "b: 2\n", "large.yaml": "x" * 100_000}
FOREIGN = {"own/file": "mine\n"}
NOBODY = 65534


@pytest.fixture
def root() -> Iterator[Path]:
    """A written tree that another user can reach, which pytest's own folders do not allow."""
    folder = Path(tempfile.mkdtemp(prefix="gpuplan-"))
    folder.chmod(0o755)
    tree = folder / "rendered"
    write(tree, OLD)
    place(tree, FOREIGN)
    yield tree
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


def refusal(root: Path, tmp_path: Path, prepare: Callable[[], object]) -> dict[str, str]:
    """Write NEW in a child that was prepared first; return the finding's fields."""

    def child() -> None:
        answer = os.open(tmp_path / "answer", os.O_WRONLY | os.O_CREAT)
        prepare()
        report, problems = write_tree(root, outputs(NEW), version=VERSION)
        assert report is None
        [problem] = problems
        os.write(
            answer, json.dumps({"rule": problem.rule, "summary": problem.summary, "file": problem.at.file}).encode()
        )

    assert in_child(child) == 0
    said: dict[str, str] = json.loads((tmp_path / "answer").read_text())
    return said


def unchanged(root: Path) -> bool:
    return ours(root) == encoded(OLD, FOREIGN) and beside(root) == ["rendered"]


def as_nobody() -> None:
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_a_file_that_does_not_fit_leaves_the_old_tree_and_says_so(root: Path, tmp_path: Path) -> None:
    said = refusal(root, tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
    assert said["rule"] == "output/cannot-write"
    assert os.strerror(errno.EFBIG) in said["summary"]
    assert unchanged(root)
    write(root, NEW)


def test_a_folder_above_that_may_not_be_written_leaves_the_old_tree_and_says_so(root: Path, tmp_path: Path) -> None:
    root.parent.chmod(0o555)
    said = refusal(root, tmp_path, as_nobody)
    assert said["rule"] == "output/cannot-write"
    assert os.strerror(errno.EACCES) in said["summary"]
    assert str(root) in said["summary"]
    assert unchanged(root)


def test_a_file_that_may_not_be_read_leaves_the_old_tree_and_names_it(root: Path, tmp_path: Path) -> None:
    root.parent.chmod(0o777)
    (root / "d/b.yaml").chmod(0o000)
    said = refusal(root, tmp_path, as_nobody)
    assert said == {
        "rule": "output/cannot-write",
        "summary": f"cannot write {root}: {os.strerror(errno.EACCES)} ({root}/d/b.yaml)",
        "file": f"{root}/d/b.yaml",
    }
    (root / "d/b.yaml").chmod(0o644)
    assert unchanged(root)


def test_read_only_folders_of_somebody_are_carried_over_without_the_rights_of_root(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="gpuplan-"))
    folder.chmod(0o777)

    def child() -> None:
        as_nobody()
        root = folder / "rendered"
        write(root, OLD)
        place(root, FOREIGN)
        (root / "own").chmod(0o555)
        write(root, NEW)
        write(root, OLD)
        assert ours(root) == encoded(OLD, FOREIGN)
        assert beside(root) == ["rendered"]
        (root / "own").chmod(0o755)

    assert in_child(child) == 0
    shutil.rmtree(folder)
