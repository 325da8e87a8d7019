"""A review's comment and outputs: what they say, and that nothing a file holds can break or fake them."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.report.codequality import as_codequality
from gpuplan.report.markdown import COMMENT_LIMIT, cell, code, cut, inline, without_quick_actions
from gpuplan.report.plans.markdown import LIMIT
from gpuplan.report.review import FOOT_CHARACTERS, Planned, Review, as_json, as_markdown, marker, outputs

AT = Span("fleet/teams.yaml", 3, 5, 3, 9)
ERROR = Diagnostic(rule="quota/over", severity=Severity.ERROR, summary="`train` is over", at=AT, fix="Take 4 away.")
NOTE = Diagnostic(rule="card/x", severity=Severity.INFO, summary="n", at=AT)
PLANNED = Planned(risk="low", no_changes=False, approvals=("team nlp", "@acme/gpu"), markdown="## the plan\n")
FINE = Review(
    fleet="fleet", out="rendered", findings=(NOTE,), stale=(), plan=PLANNED, no_plan="", refused=False, exit_code=0
)
PAGE = MarkdownIt("commonmark").enable("table")


def but(review: Review = FINE, **changes: Any) -> Review:
    return dataclasses.replace(review, **changes)


def rows(review: Review) -> dict[str, str]:
    """The table of the comment."""
    found = re.findall(r"^\| (.+?) \| (.+) \|$", as_markdown(review), re.MULTILINE)
    return {step: result for step, result in found if step != "step"}


def test_a_fine_change_says_so_and_shows_its_plan() -> None:
    assert rows(FINE) == {
        "check": "Found 1 note in 1 file.",
        "render --check": "fresh",
        "plan": "risk **low**, needs the approval of `team nlp`, `@acme/gpu`",
    }
    assert as_markdown(FINE).startswith(marker("fleet") + "\n")
    assert "\n## the plan\n" in as_markdown(FINE)


def test_a_risk_that_the_repository_does_not_take_is_said() -> None:
    assert rows(but(refused=True, exit_code=1))["plan"].startswith("risk **low**, which fails this job, needs the")


def test_output_that_a_render_would_refuse_to_touch_is_not_to_be_rendered() -> None:
    assert rows(but(stale=("changed a",), findings=(ERROR,)))["render --check"] == "**stale**: 1 file differs."


def test_what_is_stale_is_named_with_the_command_and_the_plan_is_there_all_the_same() -> None:
    text = as_markdown(but(stale=tuple(f"changed a{number}" for number in range(23))))
    assert "| render --check | **stale**: 23 files differ. Run `gpuplan render` and commit `rendered`. |" in text
    assert "- `changed a9`\n- … and 13 more\n" in text
    assert "## the plan" in text


def test_errors_are_listed_and_say_why_there_is_no_plan() -> None:
    review = but(findings=(ERROR, NOTE), stale=None, plan=None, no_plan="the spec has errors", exit_code=1)
    assert rows(review) == {
        "check": "**failed**: Found 1 error, 1 note in 1 file.",
        "render --check": "not reached",
        "plan": "**no plan**: the spec has errors",
    }
    line = "- `fleet/teams.yaml:3:5` `quota/over`: `train` is over<br>fix: Take 4 away."
    assert line in as_markdown(review).splitlines()


def test_outputs_and_json_say_the_same() -> None:
    said = outputs(FINE)
    assert said == {
        "risk": "low",
        "no-changes": "false",
        "approvals": '["team nlp", "@acme/gpu"]',
        "errors": "0",
        "stale": "false",
        "exit-code": "0",
    }
    data = json.loads(as_json(FINE))
    assert data["format_version"] == "1.0"
    assert (data["risk"], data["stale"], data["approvals"]) == ("low", [], ["team nlp", "@acme/gpu"])
    assert (data["refused"], data["exit_code"]) == (False, 0)


def test_a_change_that_could_not_be_planned_has_an_unknown_risk() -> None:
    said = outputs(but(plan=None, stale=None))
    assert (said["risk"], said["no-changes"], said["stale"]) == ("unknown", "false", "unknown")


def test_a_comment_stays_below_the_limit_with_room_for_its_foot_whatever_it_lists() -> None:
    long = dataclasses.replace(ERROR, summary="x" * 70_000, fix="y" * 70_000)
    plan = dataclasses.replace(PLANNED, markdown="z\n" * 70_000)
    text = as_markdown(but(findings=(long,) * 30, stale=("a" * 9_000,) * 30, plan=plan))
    assert len(text) <= COMMENT_LIMIT - FOOT_CHARACTERS
    assert "does not fit into a comment" in text


def test_the_longest_plan_is_not_cut_below_a_long_list_of_stale_files_and_approvals() -> None:
    longest = dataclasses.replace(PLANNED, markdown="z\n" * (LIMIT // 2), approvals=("a" * 300,) * 30)
    text = as_markdown(but(plan=longest, stale=("a" * 9_000,) * 30, fleet="f" * 60))
    assert len(text) <= COMMENT_LIMIT - FOOT_CHARACTERS
    assert text.endswith(longest.markdown)


NASTY = (
    "<img src=x>",
    "[a](http://b)",
    "@everyone",
    "**bold**",
    "a|b",
    "`",
    "``x",
    "&lt;",
    "~~s~~",
    "a\nb",
    "\x1b[31m",
)
texts = st.lists(st.sampled_from([*NASTY, "a", " ", "\\", "#", "-"]), max_size=8).map("".join)


@given(texts)
def test_a_code_span_holds_its_text_and_nothing_else(text: str) -> None:
    (paragraph,) = [token for token in PAGE.parse("a" + code(text)) if token.type == "inline"]
    assert paragraph.children is not None
    assert [token.type for token in paragraph.children] == ["text", "code_inline"]


@given(texts)
def test_words_of_a_file_make_neither_markup_nor_a_mention(text: str) -> None:
    (paragraph,) = [token for token in PAGE.parse("a " + inline(text) + " b") if token.type == "inline"]
    assert paragraph.children is not None
    assert {token.type for token in paragraph.children} <= {"text", "text_special", "code_inline"}
    said = "".join(token.content for token in paragraph.children if token.type != "code_inline")
    assert "@everyone" not in said


@given(texts)
def test_a_cell_of_a_table_stays_one_cell(text: str) -> None:
    tokens = PAGE.parse(f"| a | b | c |\n|---|---|---|\n| {cell(code(text))} | {cell(inline(text))} | end |\n")
    assert [token.content for token in tokens if token.type == "inline"][5] == "end"


@given(
    st.lists(st.sampled_from(["text", "```", "<details>", "</details>", "~~~~", "````", "x" * 30])).map("\n".join),
    st.integers(60, 300),
)
def test_what_is_cut_fits_and_leaves_nothing_open(text: str, limit: int) -> None:
    short = cut(text, limit, "_cut_")
    assert len(short) <= max(limit, len(text) if len(text) <= limit else 0)
    if short != text:
        tokens = PAGE.parse(short)
        assert tokens[-2].content == "_cut_" or short.endswith("\n_cut_\n")
        assert tokens[-2].type == "inline", "the notice is text, not code"


def test_no_line_is_a_command_to_gitlab_and_code_stays_as_it_is() -> None:
    text = "/close\n  /approve\na /b\n```sh\n/usr/bin/x\n```\n/label ~x\n"
    assert without_quick_actions(text) == "\\/close\n  \\/approve\na /b\n```sh\n/usr/bin/x\n```\n\\/label ~x\n"


def test_what_fits_is_not_cut() -> None:
    assert cut("a\nb\n", 4, "_cut_") == "a\nb\n"


def test_gitlab_knows_a_finding_again_that_only_moved_and_tells_two_of_one_text_apart() -> None:
    moved = dataclasses.replace(ERROR, at=Span(AT.file, 9, 1, 9, 2))
    first, again, other = json.loads(as_codequality((ERROR, ERROR, NOTE)))
    (elsewhere,) = json.loads(as_codequality((moved,)))
    assert first["fingerprint"] == elsewhere["fingerprint"] != again["fingerprint"]
    assert other["severity"] == "info"
    assert first == {
        "description": "`train` is over\nfix: Take 4 away.",
        "check_name": "quota/over",
        "fingerprint": first["fingerprint"],
        "severity": "critical",
        "location": {"path": "fleet/teams.yaml", "lines": {"begin": 3}},
    }


@pytest.mark.parametrize("fleet", ["a-->b", "-- >", "größe", "a b"])
def test_a_marker_is_one_comment_whatever_the_folder_is_called(fleet: str) -> None:
    assert marker(fleet).count("-->") == 1
    assert marker(fleet).isascii()
