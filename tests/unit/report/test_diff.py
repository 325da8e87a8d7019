"""What `gpuplan diff` writes, where it could do harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplan.compare.trees import TreeDiff, diff_trees
from gpuplan.report.diff import as_json, markdown, terminal
from gpuplan.report.markdown import COMMENT_LIMIT

SIDES = ("old", "new")


def compared(folder: Path, old: str, new: str) -> TreeDiff:
    for name, text in (("old", old), ("new", new)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return diff_trees(folder / "old.yaml", folder / "new.yaml")


def config(kind: str, value: str) -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\ndata:\n  key: {json.dumps(value)}\n"


@pytest.mark.parametrize("old", ["hunter1", "a: hunter1\nb: 2\n"])
def test_no_form_shows_the_content_of_a_secret(tmp_path: Path, old: str) -> None:
    diff = compared(tmp_path, config("Secret", old), config("Secret", old.replace("1", "3")))
    for text in (as_json(diff, SIDES), markdown(diff, SIDES), terminal(diff, SIDES, colour=False)):
        assert "hunter" not in text
        assert "data.key" in text


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {kubectl.kubernetes.io/last-applied-configuration: 'hunter1'}}\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Values.name }}}\nstringData: {key: hunter1}\n",
        "apiVersion: v1\nkind: 'Secret'\nmetadata: {name: a}\nstringData:\n<<<<<<< HEAD\n  key: hunter1\n",
        '[{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"stringData":{"key":"hunter1"}}]\n',
        '{"kind": "SecretList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}, "data": {"key": "hunter1"}}]}\n',
    ],
    ids=["kubectl's copy in an annotation", "a chart's template", "a merge conflict", "a list in JSON", "a SecretList"],
)
def test_a_secret_is_hidden_wherever_it_stands(tmp_path: Path, text: str) -> None:
    diff = compared(tmp_path, text, text.replace("hunter1", "hunter3"))
    assert not diff.is_empty
    for seen in (as_json(diff, SIDES), markdown(diff, SIDES), terminal(diff, SIDES, colour=False)):
        assert "hunter" not in seen
        assert "hidden" in seen


def test_a_kind_that_only_begins_like_a_secret_is_shown(tmp_path: Path) -> None:
    old = "kind: SecretStore\nname: {{ one }}\n"
    assert "{{ two }}" in terminal(compared(tmp_path, old, old.replace("one", "two")), SIDES, colour=False)


def test_content_can_neither_steer_a_terminal_nor_leave_a_code_block(tmp_path: Path) -> None:
    evil = "a\n```\n</details>@team\x1b[31m\u202e\n"
    diff = compared(tmp_path, config("ConfigMap", "a\n"), config("ConfigMap", evil))
    text = terminal(diff, SIDES, colour=False)
    assert "\x1b" not in text
    assert "\u202e" not in text
    block = markdown(diff, SIDES)
    assert "    `````diff\n" in block
    assert "\x1b" not in block


def test_a_comment_keeps_to_the_limit_of_code_hosts_and_json_holds_all(tmp_path: Path) -> None:
    objects = [config("ConfigMap", "x" * 60).replace("name: a", f"name: a{number}") for number in range(900)]
    diff = compared(tmp_path, "---\n".join(objects), "---\n".join(objects).replace("xx", "y"))
    text = markdown(diff, SIDES)
    assert COMMENT_LIMIT - 1000 < len(text) <= COMMENT_LIMIT
    assert text.count("<details") == text.count("</details>")
    assert "left out" in text
    assert len(json.loads(as_json(diff, SIDES))["objects"]) == 900


def test_long_values_stand_below_their_path_and_are_cut(tmp_path: Path) -> None:
    lines = "\n".join(f"line {number}" for number in range(100))
    text = terminal(compared(tmp_path, config("ConfigMap", ""), config("ConfigMap", lines)), SIDES, colour=False)
    assert "~ data.key\n" in text
    assert "more lines" in text
    assert "line 90" not in text
