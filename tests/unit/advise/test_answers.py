"""An answers file says what it says or what is wrong with it: where, what was meant, and what to write."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.catalog import advice
from gpuplan.diagnostics import Severity
from gpuplan.model.answers import NO_ANSWERS, Answers, Rate
from gpuplan.report.advice import questions
from gpuplan.spec.answers import parse_answers, read_answers

WRONG = [
    ("peeple: {platform: 2}", 1, 1, "the answers file has no key `peeple`", "Write `people`."),
    ("people:\n  platfrom: 2", 2, 3, "`people` has no key `platfrom`", "Write `platform`."),
    ("people: {salary: 2}", 1, 10, "`people` has no key `salary`", "It takes `controllers` or `platform`."),
    ("people: 2", 1, 9, "`people` takes a mapping, not `2`", "Write a mapping with `controllers` or `platform`."),
    ('people: {platform: "2"}', 1, 20, "not the text `2`", "Write `2`, without quotes."),
    (
        "people: {controllers: 1.5}",
        1,
        23,
        "takes a whole number from 0 to 1000, not `1.5`",
        "Write a whole number from 0 to 1000.",
    ),
    ("idleCardsPercent: 130", 1, 19, "takes a number from 0 to 100, not `130`", "Write a number from 0 to 100."),
    ("growthPercentPerYear: true", 1, 23, "takes a whole number from 0 to 1000, not `true`", "Write a whole number"),
    ("inService: yes", 1, 12, "takes true or false, not the text `yes`", "Write `true` or `false`."),
    ("security: {privilegedPods: forbiden}", 1, 28, "not the text `forbiden`", "Write `forbidden`."),
    (
        "security: {privilegedPods: 7}",
        1,
        28,
        "takes `allowed`, `reviewed` or `forbidden`, not `7`",
        "It takes `allowed`",
    ),
    ("clouds: aws", 1, 9, "takes a list of", "Write `[aws]`."),
    ("clouds: [aws, gogle]", 1, 15, "`clouds.1` takes", "Write `google`."),
    ("hourlyRate: 95", 1, 13, 'takes a price for an hour, such as "95 EUR", not `95`', 'Write `"95 EUR"`.'),
    ("weights: {securty: 3}", 1, 11, "`weights` has no key `securty`", "Write `security`."),
    ("weights: {security: -1}", 1, 21, "takes a number from 0", "Write a number from 0"),
    (
        "people: {platform: 1, controllers: 4}",
        1,
        23,
        "more than the 1 of `people.platform`",
        "Count them among `platform`.",
    ),
    (
        "hours: {upgradeOperator: 2}",
        1,
        1,
        "takes 2 hours a node with the operator, and 1.5 by hand",
        "Put what the operator costs",
    ),
    ("thresholds: {manyNodes: 10}", 1, 1, "`thresholds.fewNodes` is above `thresholds.manyNodes`", "at most"),
    ("people: {platform: 2}\npeople: {}", 2, 1, "people", ""),
    ("- 1", 1, 1, "a list, not a mapping", ""),
    ("a: 1\n---\nb: 2", 3, 1, "this is a second", ""),
]


@pytest.mark.parametrize(("text", "line", "column", "summary", "fix"), WRONG, ids=[case[0] for case in WRONG])
def test_a_mistake_is_said_at_its_place_with_what_was_meant(
    text: str, line: int, column: int, summary: str, fix: str
) -> None:
    made, found = parse_answers("answers.yaml", text)
    assert made is None
    first = next(one for one in found if one.severity is Severity.ERROR)
    assert (first.at.file, first.at.line, first.at.column) == ("answers.yaml", line, column)
    assert summary in first.summary
    assert fix in first.fix


def test_every_mistake_is_said_at_once() -> None:
    _, found = parse_answers("answers.yaml", "peeple: {}\nclouds: [gogle]\nidleCardsPercent: -1\n")
    assert [one.at.line for one in found] == [1, 2, 3]


def test_answers_are_read_exactly_and_know_their_places() -> None:
    text = 'people: {platform: 2.5}\nhourlyRate: "95.50 EUR"\nclouds: [aws, aws]\nsecurity:\n  airGapped: false\n'
    made, found = parse_answers("answers.yaml", text)
    assert made is not None
    assert not found
    assert made.number("people.platform") == Decimal("2.5")
    assert made.rate("hourlyRate") == Rate(amount=Decimal("95.50"), currency="EUR")
    assert made.words("clouds") == ("aws",)
    assert made.flag("security.airGapped") is False
    assert made.word("security.privilegedPods") is None
    assert str(made.places["security.airGapped"]) == "answers.yaml:5:3"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_a_file_that_says_nothing_gives_no_answers(text: str) -> None:
    assert parse_answers("answers.yaml", text) == (NO_ANSWERS, ())


def test_a_file_that_is_no_text_is_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_bytes(b"people: \xff\xfe")
    made, found = read_answers(file)
    assert made is None
    assert found


def test_the_questions_are_an_answers_file_once_they_are_no_comments() -> None:
    assert parse_answers("answers.yaml", questions()) == (NO_ANSWERS, ())
    answered = "\n".join(re.sub(r"^# ", "", line) for line in questions().splitlines())
    made, found = parse_answers("answers.yaml", answered)
    assert not found
    assert made is not None
    assert set(made.given) == set(advice.read().keys)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    made, found = parse_answers("answers.yaml", text)
    assert isinstance(made, Answers) or any(one.severity is Severity.ERROR for one in found)
