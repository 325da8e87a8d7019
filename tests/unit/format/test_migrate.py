"""Migrations change what they are for, in place, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.format.migrate import migrated
from gpuplan.format.migrations import RenameValue, finished_moves, renamed_rules
from gpuplan.report.book import BOOK
from gpuplan.rulebook import FORMER_IDS
from gpuplan.source.yamltext import parse_text

OLD, NEW = next(iter(FORMER_IDS.items()))
MOVES = (finished_moves({"teams.c"}),)

RENAMES = {
    "in a block": (
        f"suppress:\n- rule: {OLD}   # why\n  at: teams\n",
        f"suppress:\n- rule: {NEW}   # why\n  at: teams\n",
    ),
    "in brackets and quotes": (f"suppress: [{{rule: '{OLD}'}}]\n", f"suppress: [{{rule: '{NEW}'}}]\n"),
    "in the second document": (f"a: 1\n---\nsuppress: [{{rule: {OLD}}}]", f"a: 1\n---\nsuppress: [{{rule: {NEW}}}]"),
    "with other line ends": (f"suppress:\r\n- rule: {OLD}\r\n", f"suppress:\r\n- rule: {NEW}\r\n"),
    "but not in a reason": (
        f"suppress:\n- {{rule: a/b, reason: {OLD}}}\n",
        f"suppress:\n- {{rule: a/b, reason: {OLD}}}\n",
    ),
    "but not in another section": (f"moved:\n- {{rule: {OLD}}}\n", f"moved:\n- {{rule: {OLD}}}\n"),
    "but not in a comment": (f"suppress:  # {OLD}\n- rule: a/b\n", f"suppress:  # {OLD}\n- rule: a/b\n"),
}
REMOVALS = {
    "from a block list": (
        "moved:\n# renames\n- from: teams.a   # gone\n  to: teams.b\n\n# stays\n- {from: teams.c, to: teams.d}\nx: 1\n",
        "moved:\n# renames\n\n# stays\n- {from: teams.c, to: teams.d}\nx: 1\n",
    ),
    "from the end of a block list": (
        "moved:\n  - {from: teams.c}\n  -\n    from: teams.a\n# about x\nx: 1\n",
        "moved:\n  - {from: teams.c}\n# about x\nx: 1\n",
    ),
    "from the start of a list in brackets": ("moved: [{from: a}, {from: teams.c}]\n", "moved: [{from: teams.c}]\n"),
    "from the end of a list in brackets": (
        "moved: [{from: teams.c}, {from: a}, {from: b}]  # x\n",
        "moved: [{from: teams.c}]  # x\n",
    ),
    "with the section where nothing is left": (
        "kind: Fleet\nmoved:\n- {from: a}\n# b\nx: 1\n",
        "kind: Fleet\n# b\nx: 1\n",
    ),
    "but not what else would leave a file empty": ("moved:\n- {from: a}\n- {from: b}\n", "moved: []\n"),
    "but not what a base still needs": ("moved: [{from: teams.c}]\n", "moved: [{from: teams.c}]\n"),
    "but not what has another form": ("moved: [{to: x}, 3]\n", "moved: [{to: x}, 3]\n"),
}


@pytest.mark.parametrize(("text", "expected"), RENAMES.values(), ids=RENAMES.keys())
def test_the_old_id_of_a_rule_becomes_the_new_one(text: str, expected: str) -> None:
    made = migrated("x.yaml", text, renamed_rules())
    assert (made.text, made.findings, bool(made.changes)) == (expected, (), text != expected)


@pytest.mark.parametrize(("text", "expected"), REMOVALS.values(), ids=REMOVALS.keys())
def test_a_rename_that_is_done_is_removed(text: str, expected: str) -> None:
    made = migrated("x.yaml", text, MOVES)
    assert (made.text, made.findings, bool(made.changes)) == (expected, (), text != expected)


def test_each_change_says_its_line_and_reason() -> None:
    text = f"suppress:\n- rule: {OLD}\nmoved:\n- {{from: teams.a}}\n- {{from: teams.c}}\n"
    assert migrated("x.yaml", text, (*renamed_rules(), *MOVES)).changes == (
        f"line 2: {OLD} is {NEW} now: the rule has a new id",
        "line 4: this entry of `moved` can go: the rename is in the base already",
    )


def test_a_text_with_an_error_is_left_alone() -> None:
    made = migrated("x.yaml", f"suppress: [{{rule: {OLD}}}]\nsuppress: []\n", renamed_rules())
    assert made.text is None
    assert [finding.rule for finding in made.findings] == ["yaml/duplicate-key"]


def test_a_change_that_reaches_further_than_meant_is_refused() -> None:
    step = RenameValue(path=("a",), old="x", new="y", why="")
    made = migrated("x.yaml", "a: &same x\nb: *same\n", (step,))
    assert made.text is None
    assert [finding.rule for finding in made.findings] == ["fmt/not-proved"]


def test_former_ids_lead_to_rules_that_exist_and_are_none_themselves() -> None:
    assert set(FORMER_IDS.values()) <= set(BOOK)
    assert not set(FORMER_IDS) & set(BOOK)


@settings(deadline=None)
@given(st.lists(st.sampled_from(("teams.a", "teams.b", "teams.c")), max_size=5), st.sampled_from("bf"), st.booleans())
def test_whatever_moves_there_are_those_that_the_base_needs_stay(names: list[str], form: str, follows: bool) -> None:
    items = [f"{{from: {name}, to: teams.x}}" for name in names]
    written = (
        "moved: [" + ", ".join(items) + "]\n"
        if form == "f" or not items
        else "moved:\n" + "".join(f"- {i}\n" for i in items)
    )
    made = migrated("x.yaml", "kind: Fleet\n" + written + "x: 1\n" * follows, MOVES)
    assert made.text is not None
    left = parse_text("x.yaml", made.text).documents[0].plain()
    moved = left.get("moved", [])
    assert moved == [{"from": name, "to": "teams.x"} for name in names if name == "teams.c"]
    assert left.get("x") == (1 if follows else None)
