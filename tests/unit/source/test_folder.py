"""Which files make up a fleet, and what may be wrong with a file before its text is looked at."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplan.source import findings
from gpuplan.source.findings import FINDINGS
from gpuplan.source.folder import FileLines, read_file, read_fleet

NOBODY = 65534


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty fleet folder, named as a user would name it."""
    monkeypatch.chdir(tmp_path)
    Path("fleet").mkdir()
    return Path("fleet")


def rules_and_places(fleet: Path) -> list[str]:
    return [f"{f.at} {f.rule}" for f in read_fleet(fleet)[1]]


def files_read(fleet: Path) -> list[str]:
    documents, found = read_fleet(fleet)
    assert found == ()
    assert documents is not None
    return [d.file for d in documents]


def test_files_are_read_in_the_order_of_their_paths_and_named_as_the_user_named_them(fleet: Path) -> None:
    for name in ("b.yaml", "a/z.yml", "a.yaml", "a/b/c.YAML", "Z.yaml"):
        (fleet / name).parent.mkdir(parents=True, exist_ok=True)
        (fleet / name).write_text("a: 1\n")
    assert files_read(fleet) == ["fleet/Z.yaml", "fleet/a.yaml", "fleet/a/b/c.YAML", "fleet/a/z.yml", "fleet/b.yaml"]
    assert files_read(fleet.resolve())[0] == f"{fleet.resolve()}/Z.yaml"


def test_other_files_hidden_files_and_backups_do_not_count(fleet: Path) -> None:
    (fleet / "a.yaml").write_text("a: 1\n")
    for name in ("README.md", "a.json", "a.yaml~", "a.yaml.bak", "#a.yaml#", ".#a.yaml", ".a.yaml.swp", ".hidden.yaml"):
        (fleet / name).write_text("a: [broken\n")
    (fleet / ".git").mkdir()
    (fleet / ".git" / "x.yaml").write_text("[")
    assert files_read(fleet) == ["fleet/a.yaml"]


def test_a_folder_named_like_a_file_is_a_folder(fleet: Path) -> None:
    (fleet / "teams.yaml").mkdir()
    (fleet / "teams.yaml" / "a.yaml").write_text("a: 1\n")
    assert files_read(fleet) == ["fleet/teams.yaml/a.yaml"]


def test_a_file_may_hold_several_documents(fleet: Path) -> None:
    (fleet / "a.yaml").write_text("a: 1\n---\nb: 1\n")
    assert files_read(fleet) == ["fleet/a.yaml", "fleet/a.yaml"]


def test_links_inside_the_fleet_are_followed_as_a_mounted_config_map_needs_it(fleet: Path) -> None:
    (fleet / "..2026_08").mkdir()
    (fleet / "..2026_08" / "teams.yaml").write_text("a: 1\n")
    (fleet / "..data").symlink_to("..2026_08")
    (fleet / "teams.yaml").symlink_to("..data/teams.yaml")
    assert files_read(fleet) == ["fleet/teams.yaml"]


def make_missing(fleet: Path) -> None:
    fleet.rmdir()


def make_file(fleet: Path) -> None:
    fleet.rmdir()
    fleet.write_text("a: 1\n")


def make_text_only(fleet: Path) -> None:
    (fleet / "README.md").write_text("hello")


def make_pipe(fleet: Path) -> None:
    os.mkfifo(fleet / "x.yaml")


def make_socket(fleet: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("fleet/x.yaml")


def link(target: str) -> object:
    return lambda fleet: (fleet / "x.yaml").symlink_to(target)


def content(data: bytes) -> object:
    return lambda fleet: (fleet / "x.yaml").write_bytes(data)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (make_missing, "fleet:1:1 source/no-fleet"),
        (make_file, "fleet:1:1 source/no-fleet"),
        (lambda fleet: None, "fleet:1:1 source/no-fleet"),
        (make_text_only, "fleet:1:1 source/no-fleet"),
        (make_pipe, "fleet/x.yaml:1:1 source/not-a-file"),
        (make_socket, "fleet/x.yaml:1:1 source/not-a-file"),
        (link("nowhere.yaml"), "fleet/x.yaml:1:1 source/broken-link"),
        (link("x.yaml"), "fleet/x.yaml:1:1 source/broken-link"),
        (link("."), "fleet/x.yaml:1:1 source/broken-link"),
        (link("../fleet"), "fleet/x.yaml:1:1 source/broken-link"),
        (link("/etc"), "fleet/x.yaml:1:1 source/link-leaves-fleet"),
        (link("/etc/passwd"), "fleet/x.yaml:1:1 source/link-leaves-fleet"),
        (content(b"a: " + b"x" * 10_000_000), "fleet/x.yaml:1:1 source/too-large"),
        (content(b"a: 1\nb: \xe9\n"), "fleet/x.yaml:2:4 source/not-utf-8"),
        (content(b"\xef\xbb\xbfa: \xff\n"), "fleet/x.yaml:1:4 source/not-utf-8"),
        (content("a: 1\n".encode("utf-16")), "fleet/x.yaml:1:1 source/not-utf-8"),
        (content("a: 1\n".encode("utf-16-be")), "fleet/x.yaml:1:1 source/not-utf-8"),
        (content(b"a: 1\nb: \x00\n"), "fleet/x.yaml:2:4 source/binary"),
        (content(b"\x1f\x8b\x08\x00\x12"), "fleet/x.yaml:1:4 source/binary"),
        (content(b""), "fleet/x.yaml:1:1 yaml/empty-file"),
    ],
)
def test_what_cannot_be_read_is_a_finding(make: object, expected: str, fleet: Path) -> None:
    assert callable(make)
    make(fleet)
    assert rules_and_places(fleet) == [expected]


def test_the_limits_stand_in_the_message(fleet: Path) -> None:
    (fleet / "x.yaml").write_bytes(b"#" * 10_000_000)
    (finding,) = read_fleet(fleet)[1]
    assert "9.5 MiB" in finding.summary
    assert "8 MiB" in finding.summary


def test_a_folder_with_too_many_files_is_not_read(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "MAX_FILES", 3)
    for n in range(5):
        (fleet / f"{n}.yaml").write_text("[")
    assert rules_and_places(fleet) == ["fleet:1:1 source/too-many-files"]


@pytest.fixture
def as_nobody(fleet: Path) -> Iterator[None]:
    """Give up the rights of root, before which no file is unreadable."""
    for parent in fleet.resolve().parents:
        if parent.owner() == "root" and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(before)


def test_an_unreadable_file_is_a_finding_and_the_others_are_still_read(fleet: Path, as_nobody: None) -> None:
    before = os.geteuid()
    os.seteuid(os.getuid())
    (fleet / "secret.yaml").write_text("a: 1\n")
    (fleet / "secret.yaml").chmod(0)
    (fleet / "other.yaml").write_text("a: [\n")
    (fleet / "locked").mkdir(mode=0)
    os.seteuid(before)
    assert rules_and_places(fleet) == [
        "fleet/locked:1:1 source/unreadable",
        "fleet/other.yaml:1:4 yaml/syntax",
        "fleet/secret.yaml:1:1 source/unreadable",
    ]


def test_a_folder_that_may_be_listed_but_not_entered_is_a_finding_for_each_file(fleet: Path, as_nobody: None) -> None:
    before = os.geteuid()
    os.seteuid(os.getuid())
    (fleet / "a.yaml").write_text("a: 1\n")
    fleet.chmod(0o444)
    os.seteuid(before)
    assert rules_and_places(fleet) == ["fleet/a.yaml:1:1 source/unreadable"]


def test_documents_come_with_errors_that_leave_them_whole_and_not_with_others(fleet: Path) -> None:
    (fleet / "a.yaml").write_text("a: 1\na: 2\n")
    documents, found = read_fleet(fleet)
    assert documents is not None
    assert [f.rule for f in found] == ["yaml/duplicate-key"]
    (fleet / "b.yaml").write_text("a: [\n")
    documents, found = read_fleet(fleet)
    assert documents is None
    assert [f.rule for f in found] == ["yaml/duplicate-key", "yaml/syntax"]


def test_a_file_name_that_no_terminal_can_show_is_escaped(fleet: Path) -> None:
    Path(os.fsdecode(b"fleet/a\xff\x1b.yaml")).write_text("[")
    assert rules_and_places(fleet) == [r"fleet/a\udcff\x1b.yaml:1:1 yaml/syntax"]


def test_a_file_that_vanishes_is_a_finding(fleet: Path) -> None:
    assert [f.rule for f in read_file(fleet / "gone.yaml").findings] == ["source/unreadable"]


def test_lines_for_a_report_come_from_disk_and_are_empty_where_there_are_none(fleet: Path) -> None:
    (fleet / "a.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\nb: \xff\r\n")
    (fleet / "b.yaml").write_bytes(b"\x00")
    lines = FileLines()
    assert lines("fleet/a.yaml") == ("a: 1", "b: \ufffd", "")
    assert lines("fleet/b.yaml") == ()
    assert lines("fleet") == ()


def test_every_rule_about_files_is_tried_above() -> None:
    about_files = {rule.id for rule in FINDINGS if rule.id.startswith("source/")}
    text = Path(__file__).read_text()
    assert {rule for rule in about_files if text.count(rule) == 0} == set()
