"""Files that are kept by hash and stamp, without their bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gpuplan.output import KeptFile, NotKeptError, OutputFile, WriteReport, write_tree
from gpuplan.output.index import INDEX_FILE, sha256
from tests.unit.output.trees import VERSION, outputs, read, write

OLD = {"a/one.yaml": "1\n", "a/two.yaml": "2\n"}
YEAR_AGO = (1_700_000_000_123_456_789, 1_700_000_000_123_456_789)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree that was written long ago, so that stamps can be trusted."""
    tree = tmp_path / "rendered"
    write(tree, OLD)
    for path in OLD:
        os.utime(tree / path, ns=YEAR_AGO)
    return tree


def stamped(root: Path, path: str) -> KeptFile:
    status = (root / path).stat()
    stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
    return KeptFile(path, sha256(OLD[path].encode()), ("fleet/fleet.yaml",), stamp)


def written(root: Path, *files: KeptFile | OutputFile) -> WriteReport:
    report, problems = write_tree(root, files, version=VERSION)
    assert problems == ()
    assert report is not None
    return report


def test_a_kept_file_stays_and_the_index_is_that_of_a_full_write(root: Path, tmp_path: Path) -> None:
    new = {"a/one.yaml": "1 anew\n"}
    report = written(root, *outputs(new), stamped(root, "a/two.yaml"))
    write(tmp_path / "full", OLD | new)
    assert read(root) == read(tmp_path / "full")
    assert (report.written, report.unchanged) == ((INDEX_FILE, "a/one.yaml"), 1)


def test_a_kept_file_with_its_stamp_is_not_read(root: Path) -> None:
    kept = [stamped(root, path) for path in OLD]
    (root / "a/two.yaml").write_text("x\n")
    os.utime(root / "a/two.yaml", ns=YEAR_AGO)  # nobody could tell by the stamp
    assert written(root, *kept).guarantee is None


def test_a_file_that_was_only_touched_is_read_and_kept(root: Path) -> None:
    kept = [stamped(root, path) for path in OLD]
    (root / "a/two.yaml").touch()
    assert written(root, *kept).guarantee is None


@pytest.mark.parametrize("text", ["3\n", "longer\n", None])
def test_a_kept_file_that_was_edited_or_removed_is_said_with_the_tree_as_it_was(root: Path, text: str | None) -> None:
    kept = [stamped(root, path) for path in OLD]
    (root / "a/two.yaml").unlink()
    if text is not None:
        (root / "a/two.yaml").write_text(text)
    before = read(root)
    with pytest.raises(NotKeptError, match=r"a/two\.yaml"):
        write_tree(root, kept, version=VERSION)
    assert read(root) == before


def test_stamps_are_told_of_old_files_and_not_of_those_so_new_that_an_edit_could_hide(root: Path) -> None:
    in_a_day = time.time_ns() + 24 * 3600 * 10**9
    os.utime(root / "a/two.yaml", ns=(in_a_day, in_a_day))
    report = written(root, *outputs({"a/three.yaml": "3\n"}), *(stamped(root, path) for path in OLD))
    assert report.stamps["a/one.yaml"] == stamped(root, "a/one.yaml").stamp
    assert "a/two.yaml" not in report.stamps
    assert report.index == sha256((root / INDEX_FILE).read_bytes())
