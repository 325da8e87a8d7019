"""Findings as a person reads them in a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.report.excerpt import excerpt
from gpuplan.report.findings import FORMATS, findings_text
from gpuplan.report.human import Page, concise, count_line, full
from gpuplan.report.terminal import cells, paint, printable, wants_colour

FILES = {
    "fleet/teams.yaml": ("teams:", "  vision:", "    quotas: {pretrain: {train: {guaranteed: 640}}}"),
    "fleet/pools.yaml": ("nodePools:", "  h100-a: {nodes: 16}"),
}
OVER = Diagnostic(
    rule="kueue/quota-exceeds-capacity",
    severity=Severity.ERROR,
    summary="640 cards are guaranteed on `train`, which has 128",
    detail="Kueue would admit jobs for which there is no node, and their pods would stay Pending for as long as the queue "
    "holds its quota.",
    at=Span("fleet/teams.yaml", 3, 45, 3, 48),
    also=(Related("the capacity comes from here", Span("fleet/pools.yaml", 2, 3, 2, 9)),),
    fix="Lower `guaranteed` to at most 128, or add nodes to h100-a.",
)
UNSURE = Diagnostic(
    rule="card/unchecked", severity=Severity.WARNING, summary="x", at=Span("fleet/pools.yaml", 9, 1, 9, 1)
)
NOTE = Diagnostic(rule="card/note", severity=Severity.INFO, summary="y", at=Span("fleet/pools.yaml", 9, 1, 9, 1))


def lines_of(file: str) -> tuple[str, ...]:
    return FILES.get(file, ())


def test_full_shows_the_line_the_mark_the_reason_the_other_place_the_fix_and_the_count() -> None:
    assert full((OVER, UNSURE), lines_of, Page(width=80)) == (
        "fleet/teams.yaml:3:45 error kueue/quota-exceeds-capacity: 640 cards are guaranteed on `train`, which has 128\n"
        "    3 |     quotas: {pretrain: {train: {guaranteed: 640}}}\n"
        "      |                                             ^^^\n"
        "  Kueue would admit jobs for which there is no node, and their pods would stay\n"
        "  Pending for as long as the queue holds its quota.\n"
        "  also: fleet/pools.yaml:2:3 the capacity comes from here\n"
        "    2 |   h100-a: {nodes: 16}\n"
        "      |   ^^^^^^\n"
        "  fix: Lower `guaranteed` to at most 128, or add nodes to h100-a.\n"
        "\n"
        "fleet/pools.yaml:9:1 warning card/unchecked: x\n"
        "\n"
        "Found 1 error, 1 warning in 2 files.\n"
    )


def test_concise_is_one_line_each() -> None:
    assert concise((OVER, UNSURE), Page()) == (
        "fleet/teams.yaml:3:45 error kueue/quota-exceeds-capacity: 640 cards are guaranteed on `train`, which has 128\n"
        "fleet/pools.yaml:9:1 warning card/unchecked: x\n"
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ((), "No findings."),
        ((OVER,), "Found 1 error in 1 file."),
        ((OVER, OVER, UNSURE, NOTE, NOTE), "Found 2 errors, 1 warning, 2 notes in 2 files."),
    ],
)
def test_the_count_names_what_there_is(found: tuple[Diagnostic, ...], expected: str) -> None:
    assert count_line(found, Page()) == expected


def test_a_text_of_several_paragraphs_keeps_its_lines_and_examples_are_not_wrapped() -> None:
    fix = "Write:\n  quotas: {pretrain: {train/h200-141gb: {guaranteed: 32}, train/h100-80gb: {guaranteed: 32}}}\n\nor less."
    finding = Diagnostic(rule="a/b", severity=Severity.ERROR, summary="s", at=Span("f", 1, 1, 1, 1), fix=fix)
    assert full((finding,), lines_of, Page(width=40)).splitlines()[1:5] == [
        "  fix: Write:",
        "         quotas: {pretrain: {train/h200-141gb: {guaranteed: 32}, train/h100-80gb: {guaranteed: 32}}}",
        "",
        "       or less.",
    ]


@pytest.mark.parametrize(
    ("line", "columns", "expected"),
    [
        ("key: value", (6, 11), ["key: value", "     ^^^^^"]),
        ("key:", (5, 5), ["key:", "    ^"]),
        ("\tkey: v", (2, 5), ["    key: v", "    ^^^"]),
        ("a\tkey: v", (3, 6), ["a   key: v", "    ^^^"]),
        ("日本: x", (5, 6), ["日本: x", "      ^"]),
        ("日本: x", (1, 3), ["日本: x", "^^^^"]),
        ("🎉: x", (4, 5), ["🎉: x", "    ^"]),
        ("e\u0301: x", (5, 6), ["e\u0301: x", "   ^"]),
        ("a: \x1b[31mred", (4, 12), ["a: ␛[31mred", "   ^^^^^^^^"]),
        ("a: b", (90, 99), ["a: b", "    ^"]),
    ],
)
def test_the_mark_stands_under_the_place_whatever_the_width_of_the_characters(
    line: str, columns: tuple[int, int], expected: list[str]
) -> None:
    span = Span("f", 1, columns[0], 1, columns[1])
    shown = [row[8:] for row in excerpt((line,), span, width=80, colour=False)]
    assert shown == expected


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    shown = [row[8:] for row in excerpt(("a: |", "  x"), Span("f", 1, 4, 2, 4), width=80, colour=False)]
    assert shown == ["a: |", "   ^"]


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "x" * 300 + "HERE" + "y" * 1_000_000
    shown, mark = excerpt((line,), Span("f", 1, 301, 1, 305), width=48, colour=False)
    assert len(shown) == len("    1 | ") + 39
    assert shown.startswith("    1 | …x")
    assert shown.endswith("y…")
    assert shown[mark.index("^") : mark.index("^") + 4] == "HERE"
    assert mark.count("^") == 4


def test_the_text_of_a_file_is_not_asked_for_when_the_finding_is_about_the_file_as_such() -> None:
    asked: list[str] = []
    whole = Span("fleet/x.yaml", 1, 1, 1, 1)
    finding = Diagnostic(rule="a/b", severity=Severity.ERROR, summary="s", at=whole, also=(Related("m", whole),))

    def lines(file: str) -> tuple[str, ...]:
        asked.append(file)
        return ("secret",)

    assert "secret" not in full((finding,), lines, Page())
    assert asked == []


@pytest.mark.parametrize("span", [Span("f", 3, 1, 3, 2), Span("f", 2, 1, 2, 2)], ids=["no such line", "blank line"])
def test_there_is_no_excerpt_of_nothing(span: Span) -> None:
    assert list(excerpt(("text", " "), span, width=80, colour=False)) == []


@pytest.mark.parametrize(
    ("environment", "is_terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
    ],
)
def test_colour_is_for_terminals_unless_the_environment_says_otherwise(
    environment: dict[str, str], is_terminal: bool, expected: bool
) -> None:
    assert wants_colour(environment, is_terminal=is_terminal) is expected


def test_colour_changes_nothing_but_colour() -> None:
    plain = full((OVER, UNSURE), lines_of, Page())
    coloured = full((OVER, UNSURE), lines_of, Page(colour=True))
    assert coloured != plain
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain
    assert paint("", "error", colour=True) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b]0;title\x07b", "a␛]0;title␇b"),
        ("a\nb\r\x7f", "a␊b␍␡"),
        ("\x9b31m", "\ufffd31m"),
        ("admin\u202etxt.exe", "admin\ufffdtxt.exe"),
        ("\ud800", "\ufffd"),
        ("tab\tand é 日本 🎉 stay", "tab\tand é 日本 🎉 stay"),
    ],
)
def test_what_could_steer_a_terminal_becomes_a_sign_that_shows_it(text: str, expected: str) -> None:
    assert printable(text) == expected


anything = st.text(st.characters(), max_size=30)
findings = st.builds(
    Diagnostic,
    rule=st.just("a/b"),
    severity=st.sampled_from(Severity),
    summary=anything,
    detail=anything,
    fix=anything,
    at=st.builds(Span, anything, *[st.integers(1, 4)] * 4),
    also=st.lists(st.builds(Related, anything, st.builds(Span, anything, *[st.integers(1, 4)] * 4)), max_size=1).map(
        tuple
    ),
)


@settings(deadline=None)
@given(st.lists(findings, max_size=3).map(tuple), st.lists(anything, max_size=4).map(tuple), st.sampled_from(FORMATS))
def test_no_content_can_steer_a_terminal_in_any_format(
    found: tuple[Diagnostic, ...], lines: tuple[str, ...], output_format: str
) -> None:
    text = findings_text(found, output_format, lines=lambda _: lines, docs={}, page=Page())
    assert not set(text) & {*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160)), "\u202e"}
    text.encode()


@settings(deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), max_size=200), st.integers(1, 200), st.integers(0, 100), st.integers(20, 120)
)
def test_an_excerpt_never_grows_past_the_width(line: str, column: int, length: int, width: int) -> None:
    lines = ("", line)
    shown = list(excerpt(lines, Span("f", 2, column, 2, column + length), width=width + 8, colour=False))
    assert all(cells(row) <= width + 8 for row in shown)
    assert len(shown) in (0, 2)


def test_an_unknown_format_is_our_fault() -> None:
    with pytest.raises(ValueError, match="no such format"):
        findings_text((), "xml", lines=lines_of, docs={}, page=Page())
