"""Writing the tree: who owns a file, what may be replaced, and what is refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.output import Guarantee, write_tree
from gpuplan.output.index import INDEX_FILE
from gpuplan.output.journal import Site, journal_of
from tests.unit.output.trees import VERSION, beside, encoded, ours, outputs, place, problems_of, read, write

QUEUES = "clusters/prod-eu/40-queues"
OLD = {
    f"{QUEUES}/clusterqueue-a.yaml": "a: 1\n",
    f"{QUEUES}/clusterqueue-b.yaml": "b: 1\n",
    "argocd/app.yaml": "x: 1\n",
}
NEW = {
    f"{QUEUES}/clusterqueue-a.yaml": "a: 2\n",
    f"{QUEUES}/clusterqueue-c.yaml": "c: 1\n",
    "argocd/app.yaml": "x: 1\n",
}
FOREIGN = {"README.md": "mine\n", f"{QUEUES}/notes.txt": "mine too\n", "own/deep/file": "\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "rendered"


def test_a_first_write_makes_the_files_and_the_index_and_leaves_nothing_beside_them(root: Path) -> None:
    report = write(root, OLD)
    assert ours(root) == encoded(OLD)
    assert report.written == tuple(sorted([*OLD, INDEX_FILE]))
    assert beside(root) == ["rendered"]


def test_a_second_write_adds_changes_and_removes_what_is_listed_and_keeps_the_rest(root: Path) -> None:
    write(root, OLD)
    place(root, FOREIGN)
    report = write(root, NEW)
    assert ours(root) == encoded(NEW, FOREIGN)
    assert report.written == tuple(
        sorted([INDEX_FILE, f"{QUEUES}/clusterqueue-a.yaml", f"{QUEUES}/clusterqueue-c.yaml"])
    )
    assert report.removed == (f"{QUEUES}/clusterqueue-b.yaml",)
    assert report.unchanged == 1
    assert beside(root) == ["rendered"]


def changes(root: Path) -> dict[Path, tuple[int, int]]:
    """Return which file or folder stands under each path, and when it last changed in any way; reading is no change."""
    return {path: (path.stat().st_ino, path.stat().st_ctime_ns) for path in (root, *root.rglob("*"))}


def test_writing_the_same_again_touches_nothing(root: Path) -> None:
    write(root, OLD)
    before = changes(root)
    report = write(root, OLD)
    assert (report.written, report.removed, report.guarantee) == ((), (), None)
    assert changes(root) == before


def test_a_folder_that_no_file_of_ours_needs_any_more_goes_and_one_of_somebody_stays(root: Path) -> None:
    write(root, OLD | {"provisioner/pool.yaml": "p\n"})
    (root / "provisioner/empty").mkdir()
    (root / "empty").mkdir()
    write(root, {"argocd/app.yaml": "x: 1\n"})
    assert ours(root) == encoded({"argocd/app.yaml": "x: 1\n", "empty/": "", "provisioner/empty/": ""})


def test_an_edited_file_is_named_whether_it_would_change_stay_or_go(root: Path) -> None:
    write(root, OLD)
    for path in OLD:
        (root / path).write_text("edited\n")
    problems = problems_of(root, NEW)
    assert [(d.rule, d.at.file) for d in problems] == [("output/hand-edited", str(root / path)) for path in sorted(OLD)]


def test_a_file_that_somebody_brought_to_the_wanted_content_is_fine(root: Path) -> None:
    write(root, OLD)
    place(root, {path: NEW[path] for path in NEW})
    write(root, NEW)
    assert ours(root) == encoded(NEW)


def test_a_deleted_file_comes_back_and_a_deleted_orphan_is_forgotten(root: Path) -> None:
    write(root, OLD)
    (root / f"{QUEUES}/clusterqueue-a.yaml").unlink()
    (root / f"{QUEUES}/clusterqueue-b.yaml").unlink()
    write(root, NEW)
    assert ours(root) == encoded(NEW)


def test_a_foreign_file_in_the_way_is_never_overwritten(root: Path) -> None:
    write(root, OLD)
    place(root, {f"{QUEUES}/clusterqueue-c.yaml": "mine: 1\n"})
    [problem] = problems_of(root, NEW)
    assert problem.rule == "output/in-the-way"
    assert problem.summary == f"a file not made by gpuplan is at {root}/{QUEUES}/clusterqueue-c.yaml"


def test_a_file_in_place_of_a_folder_is_named(root: Path) -> None:
    place(root, {"clusters": "mine\n"})
    [problem] = problems_of(root, OLD)
    assert problem.summary == f"a file is where a folder has to be: {root}/clusters"


def test_a_folder_in_place_of_a_file_is_named(root: Path) -> None:
    place(root, {"argocd/app.yaml/mine": "mine\n"})
    [problem] = problems_of(root, OLD)
    assert problem.summary == f"a folder not made by gpuplan is at {root}/argocd/app.yaml"


def test_a_file_of_ours_may_become_a_folder_and_back(root: Path) -> None:
    write(root, {"provisioner/pool": "file\n"})
    write(root, {"provisioner/pool/a": "inside\n"})
    assert ours(root) == encoded({"provisioner/pool/a": "inside\n"})
    write(root, {"provisioner/pool": "file\n"})
    assert ours(root) == encoded({"provisioner/pool": "file\n"})


def test_a_link_in_place_of_a_folder_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    root.mkdir()
    (root / "clusters").symlink_to(tmp_path / "elsewhere")
    [problem] = problems_of(root, OLD)
    assert problem.summary == f"a symbolic link is where a folder has to be: {root}/clusters"
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_of_ours_that_became_a_link_is_an_edit(root: Path, tmp_path: Path) -> None:
    write(root, OLD)
    (root / "argocd/app.yaml").unlink()
    (tmp_path / "target").write_text(OLD["argocd/app.yaml"])
    (root / "argocd/app.yaml").symlink_to(tmp_path / "target")
    [problem] = problems_of(root, OLD)
    assert problem.summary == f"{root}/argocd/app.yaml is now a symbolic link"


def test_foreign_links_pipes_and_modes_stay_as_they_are(root: Path) -> None:
    write(root, OLD)
    place(root, {"own/script": "#!/bin/sh\n"})
    (root / "own/script").chmod(0o755)
    (root / "own/broken").symlink_to("nowhere")
    os.mkfifo(root / "own/pipe")
    (root / "own").chmod(0o555)
    before = {path.name: path.lstat()[:3] for path in (root / "own").iterdir()}
    write(root, NEW)
    assert {path.name: path.lstat()[:3] for path in (root / "own").iterdir()} == before
    assert (root / "own").stat().st_mode & 0o777 == 0o555
    write(root, OLD)
    (root / "own").chmod(0o755)


def test_a_changed_file_keeps_its_mode_and_the_tree_its_own(root: Path) -> None:
    write(root, OLD)
    (root / f"{QUEUES}/clusterqueue-a.yaml").chmod(0o640)
    root.chmod(0o2750)
    write(root, NEW)
    assert (root / f"{QUEUES}/clusterqueue-a.yaml").stat().st_mode & 0o777 == 0o640
    assert root.stat().st_mode & 0o7777 == 0o2750


@pytest.mark.parametrize("mine", ["Clusters/mine.txt", "clusters/PROD-EU/x", f"{QUEUES}/ClusterQueue-C.yaml"])
def test_a_foreign_path_that_differs_in_case_alone_is_named(root: Path, mine: str) -> None:
    write(root, OLD)
    place(root, {mine: "mine\n"})
    problems = problems_of(root, NEW)
    assert {d.rule for d in problems} == {"output/case-collision"}


def test_two_outputs_that_differ_in_case_alone_are_a_bug(root: Path) -> None:
    with pytest.raises(ValueError, match="one path"):
        write_tree(root, outputs({"a": "", "A": ""}), version=VERSION)


def test_no_output_at_all_needs_to_be_allowed(root: Path) -> None:
    write(root, OLD)
    [problem] = problems_of(root, {})
    assert problem.rule == "output/empty"
    report, problems = write_tree(root, [], version=VERSION, allow_empty=True)
    assert (report is not None, problems, ours(root)) == (True, (), {})


@pytest.mark.parametrize(
    "text",
    [
        b"<<<<<<< HEAD\n",
        b"\xff\xfe",
        b"[]",
        b'{"formatVersion": 99, "files": {}}',
        b'{"formatVersion": 1}',
        b'{"formatVersion": 1, "files": {"../secret": {"sha256": "%064d"}}}' % 0,
        b'{"formatVersion": 1, "files": {"/etc/passwd": {"sha256": "%064d"}}}' % 0,
        b'{"formatVersion": 1, "files": {"a": {"sha256": "short"}}}',
        b'{"formatVersion": 1, "files": {"a": 1}}',
        b"[" * 100_000,
    ],
)
def test_an_index_that_makes_no_sense_stops_the_write(root: Path, text: bytes) -> None:
    write(root, OLD)
    (root / INDEX_FILE).write_bytes(text)
    [problem] = problems_of(root, NEW)
    assert (problem.rule, problem.at.file) == ("output/index-unreadable", str(root / INDEX_FILE))


def test_a_lost_index_is_made_anew_where_all_files_are_as_wanted(root: Path) -> None:
    write(root, OLD)
    (root / INDEX_FILE).unlink()
    assert write(root, OLD).written == (INDEX_FILE,)


def test_a_folder_reached_by_a_link_is_written_where_it_is(root: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    root.symlink_to("real")
    write(root, OLD)
    write(root, NEW)
    assert root.is_symlink()
    assert ours(tmp_path / "real") == encoded(NEW)


def test_a_file_in_place_of_the_tree_is_named(root: Path) -> None:
    root.write_text("mine\n")
    report, [problem] = write_tree(root, outputs(OLD), version=VERSION)
    assert report is None
    assert problem.summary == f"{root} is not a folder"
    assert root.read_text() == "mine\n"


def test_the_folder_that_gpuplan_runs_in_is_not_replaced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, OLD)
    monkeypatch.chdir(root / "argocd")
    [problem] = problems_of(root, NEW)
    assert problem.summary == f"cannot replace {root}: gpuplan runs inside it"


def test_folders_above_the_tree_are_made(tmp_path: Path) -> None:
    write(tmp_path / "a/b/rendered", OLD)
    assert ours(tmp_path / "a/b/rendered") == encoded(OLD)


def test_a_second_writer_is_told_that_the_first_is_at_work(root: Path) -> None:
    write(root, OLD)
    with journal_of(Site(root), patience=0):
        report, [problem] = write_tree(root, outputs(NEW), version=VERSION, patience=0.1)
    assert report is None
    assert problem.rule == "output/busy"
    assert write(root, NEW).guarantee is not None


@pytest.mark.parametrize("guarantee", Guarantee)
def test_the_report_says_which_guarantee_held(root: Path, guarantee: Guarantee) -> None:
    write(root, OLD)
    place(root, FOREIGN)
    report, problems = write_tree(root, outputs(NEW), version=VERSION, prefer=guarantee)
    assert (report and report.guarantee, problems) == (guarantee, ())
    assert ours(root) == encoded(NEW, FOREIGN)
    assert beside(root) == ["rendered"]


paths = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "e", "f/g"])
trees = st.dictionaries(paths, st.sampled_from(["1\n", "2\n", ""]), max_size=6)


@settings(max_examples=150, deadline=None)
@given(old=trees, foreign=trees, new=trees, guarantee=st.sampled_from(Guarantee))
def test_a_write_gives_the_wanted_files_and_all_foreign_ones_or_changes_nothing(
    old: dict[str, str], foreign: dict[str, str], new: dict[str, str], guarantee: Guarantee
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "rendered")
        if not _fits(old) or not _fits(new) or not _fits(old | foreign):
            return
        assert _succeeds(root, old, guarantee)
        mine = {path: text for path, text in foreign.items() if path not in old}
        place(root, mine)
        before = read(root)
        if _succeeds(root, new, guarantee):
            assert ours(root) == encoded(mine, new)
            assert _succeeds(root, new, guarantee)
        else:
            assert read(root) == before
            assert any(mine.get(path) != text for path, text in new.items() if path in mine) or not _fits(mine | new)
        assert beside(root) == ["rendered"]


def _succeeds(root: Path, files: dict[str, str], guarantee: Guarantee) -> bool:
    report, _ = write_tree(root, outputs(files), version=VERSION, allow_empty=True, prefer=guarantee)
    return report is not None


def _fits(files: dict[str, str]) -> bool:
    """Tell whether no file is where another one needs a folder."""
    return not any(other.startswith(f"{path}/") for path in files for other in files)
