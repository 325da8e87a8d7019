"""Why a rendered tree is stale, in lines."""

from __future__ import annotations

from pathlib import Path

from gpuplan.output.check import Stale, Staleness
from gpuplan.output.index import Index, sha256
from gpuplan.report.stale import FILES_SHOWN, Tree, lines

OLD, NEW = (f"a: {a}\nb: {a}\nc: {a}\nd: {a}\ne: {a}\n".encode() for a in (1, 2))


def said(root: Path, files: dict[str, bytes], wanted: dict[str, bytes], *, index: Index | None) -> list[str]:
    for name, content in files.items():
        (root / name).write_bytes(content)
    stale = tuple(Stale(name, Staleness.CHANGED) for name in sorted(wanted))
    return list(lines(Tree(root=root, index=index, wanted=wanted, version="1"), stale))


def test_the_first_differences_of_a_file_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    index = Index({"a.yaml": sha256(OLD)})
    assert said(tmp_path, {"a.yaml": OLD}, {"a.yaml": NEW}, index=index) == [
        "  changed  a.yaml",
        "           ~ a: 1 → 2",
        "           ~ b: 1 → 2",
        "           ~ c: 1 → 2",
        "           … and 2 more",
    ]


def test_files_beyond_the_list_are_counted_and_not_read(tmp_path: Path) -> None:
    wanted = {f"{number:03}.yaml": NEW for number in range(FILES_SHOWN + 7)}
    present = dict.fromkeys(list(wanted)[:FILES_SHOWN], NEW + b"# c\n")
    found = said(tmp_path, present, wanted, index=None)
    assert found[0] == "  changed  000.yaml: the same object in another text"
    assert found[-1] == "  … and 7 more"


def test_a_hand_is_told_by_the_hash_and_a_text_by_its_lines(tmp_path: Path) -> None:
    index = Index({"a.md": sha256(b"x\n")})
    assert said(tmp_path, {"a.md": b"y\n"}, {"a.md": b"x\nz\n"}, index=index) == [
        "  changed  a.md: edited by hand; +2 -1 lines"
    ]


def test_a_folder_in_the_place_of_a_file_and_an_unreadable_index_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    assert said(tmp_path, {}, {"a.yaml": NEW}, index=None) == ["  changed  a.yaml: a folder is in its place"]


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    (line,) = said(tmp_path, {"a\x1b[31m": b"x\n"}, {"a\x1b[31m": b"y\n"}, index=None)
    assert "\x1b" not in line
