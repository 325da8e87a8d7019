"""Paths to files: folders of any size and shape, links in circles, and what cannot be read."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from gpuplan.source.files import File, Found, find_files, read_text
from gpuplan.source.sharing_out import Carrier, shared_out, side_by_side


def names(found: Found, folder: Path) -> list[str]:
    """Paths below a folder."""
    return [os.path.relpath(file.path, folder) for file in found.files]


def write(folder: Path, *paths: str) -> None:
    """Make empty files."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


def test_a_folder_gives_its_manifests_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    write(tmp_path, "b.yml", "a/c.YAML", "a/b.json", "c.csv", "README.md", ".git/x.yaml", "a/.x.yaml", "run.sh")
    assert names(find_files([str(tmp_path)]), tmp_path) == ["a/b.json", "a/c.YAML", "b.yml", "c.csv"]


def test_a_file_that_is_named_is_read_whatever_it_is_called_and_once(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", ".b/c.yaml")
    paths = [str(tmp_path / "a.txt"), str(tmp_path / ".b"), str(tmp_path / ".b/c.yaml"), str(tmp_path / "a.txt")]
    assert names(find_files(paths), tmp_path) == ["a.txt", ".b/c.yaml"]


def test_links_are_followed_once_and_never_in_circles(tmp_path: Path) -> None:
    write(tmp_path, "base/a.yaml", "other/b.yaml")
    for link, target in (
        ("base/up", ".."),
        ("base/b", "../other"),
        ("c.yaml", "base/a.yaml"),
        ("lost.yaml", "no.yaml"),
    ):
        (tmp_path / link).symlink_to(target)
    (tmp_path / "self.yaml").symlink_to("self.yaml")
    found = find_files([str(tmp_path)])
    assert sorted({Path(file.path).resolve().name for file in found.files}) == ["a.yaml", "b.yaml"]
    assert (len(found.files), found.broken_links, found.findings) == (2, 2, ())


def test_more_than_ten_thousand_files_are_found(tmp_path: Path) -> None:
    for number in range(10_500):
        (tmp_path / f"{number}.yaml").touch()
    assert len(find_files([str(tmp_path)]).files) == 10_500


@pytest.mark.parametrize("path", ["nowhere", "nul\0byte"])
def test_a_path_that_is_not_there_is_told(path: str) -> None:
    assert [finding.rule for finding in find_files([path]).findings] == ["source/unreadable"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert find_files([str(tmp_path)]).files == ()
    assert [one.rule for one in find_files([str(tmp_path / "a.yaml")]).findings] == ["source/not-a-file"]


def test_the_text_of_a_file_comes_with_its_byte_order_mark_undone(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "a").write_bytes("é: 1".encode(encoding))
        assert read_text(File(str(tmp_path / "a"), named=True)) == "é: 1"


def doubled(number: int) -> int:
    """Work that other processes can do."""
    return 2 * number


def test_work_that_is_shared_out_comes_back_in_order() -> None:
    carrier: Carrier[int] = Carrier(pack=bytes, unpack=list)
    done = partial(shared_out, doubled, range(100), carrier)
    assert list(done(cores=2, worth=1)) == list(done(cores=1, worth=1)) == [2 * number for number in range(100)]


def test_two_works_run_side_by_side_and_give_what_they_give() -> None:
    parent = os.getpid()
    mine, other = side_by_side(os.getpid, os.getpid)
    assert mine == parent != other


def test_what_the_other_process_raises_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        side_by_side(int, lambda: 1 // 0)
