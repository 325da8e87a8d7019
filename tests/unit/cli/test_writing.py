"""Files beside a command's result: all of them or none, each as a whole."""

from __future__ import annotations

import stat
from pathlib import Path

import click
import pytest

from gpuplan.cli.writing import write_all


def test_files_are_written_with_the_rights_of_any_new_file(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_text("", encoding="utf-8")
    write_all({tmp_path / "a.json": "{}\n", tmp_path / "b.md": "é\n"})
    assert (tmp_path / "a.json").read_bytes() == b"{}\n"
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == "é\n"
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("old, and longer\n", encoding="utf-8")
    write_all({tmp_path / "a.md": "new\n"})
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "new\n"


def test_where_one_cannot_be_written_none_is_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("old\n", encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"cannot write .*missing.*No such file"):
        write_all({tmp_path / "a.md": "new\n", tmp_path / "missing" / "b.md": "new\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "old\n"


def test_a_message_names_the_file_that_was_asked_for_and_no_temporary_one(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match=r"cannot write .*/missing/b\.md: "):
        write_all({tmp_path / "a.md": "new\n", tmp_path / "missing" / "b.md": "new\n"})


def test_a_folder_in_the_place_of_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    with pytest.raises(click.UsageError, match=r"cannot write .*a\.md"):
        write_all({tmp_path / "a.md": "new\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
