"""`render --check`: what a render would change, without writing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuplan.output import Stale, Staleness, check_tree
from gpuplan.output.index import INDEX_FILE
from tests.unit.output.trees import VERSION, outputs, place, read, write

FILES = {"argocd/app.yaml": "x: 1\n", "clusters/a/10-base/namespace-vision.yaml": "n: 1\n"}
NAMESPACE = "clusters/a/10-base/namespace-vision.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "rendered", FILES)
    return tmp_path / "rendered"


def check(root: Path, files: dict[str, str], version: str = VERSION) -> dict[str, Staleness]:
    before = read(root)
    stale = check_tree(root, outputs(files), version=version)
    assert read(root) == before
    assert stale == tuple(sorted(stale, key=lambda file: file.path))
    return {file.path: file.staleness for file in stale}


def test_a_tree_just_written_is_fresh(root: Path) -> None:
    assert check(root, FILES) == {}


def test_files_of_somebody_else_do_not_make_it_stale(root: Path) -> None:
    place(root, {"README.md": "mine\n"})
    assert check(root, FILES) == {}


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (lambda path: path.write_text("n: 2\n"), Staleness.CHANGED),
        (lambda path: path.unlink(), Staleness.MISSING),
        (lambda path: (path.unlink(), path.mkdir()), Staleness.CHANGED),
    ],
)
def test_a_file_changed_on_disk_is_stale(root: Path, change: Callable[[Path], object], stale: Staleness) -> None:
    change(root / NAMESPACE)
    assert check(root, FILES) == {NAMESPACE: stale}


def test_what_the_fleet_makes_now_and_what_it_no_longer_makes_is_stale(root: Path) -> None:
    assert check(root, {"argocd/app.yaml": "x: 2\n", "argocd/project.yaml": "p: 1\n"}) == {
        INDEX_FILE: Staleness.CHANGED,
        "argocd/app.yaml": Staleness.CHANGED,
        "argocd/project.yaml": Staleness.MISSING,
        NAMESPACE: Staleness.ORPHAN,
    }


def test_another_version_of_gpuplan_makes_the_index_alone_stale(root: Path) -> None:
    assert check(root, FILES, version="0.2.0") == {INDEX_FILE: Staleness.CHANGED}


def test_an_index_that_makes_no_sense_is_stale(root: Path) -> None:
    (root / INDEX_FILE).write_text("<<<<<<<")
    assert check(root, FILES) == {INDEX_FILE: Staleness.CHANGED}


def test_where_nothing_was_written_everything_is_missing(tmp_path: Path) -> None:
    stale = check_tree(tmp_path / "rendered", outputs(FILES), version=VERSION)
    assert stale == tuple(Stale(path, Staleness.MISSING) for path in (INDEX_FILE, *FILES))
    assert not (tmp_path / "rendered").exists()


def test_a_write_after_a_check_changes_just_what_the_check_named(root: Path) -> None:
    new = {"argocd/app.yaml": "x: 2\n", "argocd/project.yaml": "p: 1\n"}
    named = check(root, new)
    report = write(root, new)
    assert sorted([*report.written, *report.removed]) == sorted(named)
