"""What is wrong with the text of a file: each rule fires at the right place, all at once."""

from __future__ import annotations

import pytest

from gpuplan.rulebook import RuleDoc
from gpuplan.source import findings
from gpuplan.source.findings import FINDINGS
from gpuplan.source.yamltext import parse_text

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
CONFLICT = "nodes:\n<<<<<<< HEAD\n  a: 4\n=======\n  a: 6\n>>>>>>> more\n"
ALIAS_TOWER = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}]\n" for n in range(100))

CASES = [
    # text, rule, place, word of the summary
    ("a:\n\tb: 1\n", "yaml/tab-indentation", "2:1", "tab"),
    ("a:\n  b: 1\n  \tc: 2\n", "yaml/tab-indentation", "3:3", "tab"),
    ("a: |\n  x\n\ty\n", "yaml/tab-indentation", "3:1", "tab"),
    (CONFLICT, "yaml/merge-conflict", "2:1", "merge conflict"),
    ("a: 1\n---\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "yaml/merge-conflict", "3:1", "merge conflict"),
    ("a: \x1b[31m\n", "yaml/forbidden-character", "1:4", "U+001B"),
    ("a: x\u2028b: 1\n", "yaml/forbidden-character", "1:5", "U+2028"),
    ("a: 1\r\nb: x\x85y\r\n", "yaml/forbidden-character", "2:5", "U+0085"),
    ("a: 1\n\ufeffb: 1\n", "yaml/forbidden-character", "2:1", "U+FEFF"),
    ("a: \ud800\n", "yaml/forbidden-character", "1:4", "U+D800"),
    ("a: 1\nb: 1\na: 2\n", "yaml/duplicate-key", "3:1", "`a`"),
    ("{a: 1, 'a': 2}", "yaml/duplicate-key", "1:8", "`a`"),
    ("580: x\n", "yaml/non-string-key", "1:1", "580 is a number"),
    ("true: x\n", "yaml/non-string-key", "1:1", "true is a boolean"),
    ("~: x\n", "yaml/non-string-key", "1:1", "~ is null"),
    ("?\n: x\n", "yaml/non-string-key", "1:2", "missing"),
    ("? [a]\n: b\n", "yaml/complex-key", "1:3", "collection"),
    ("a: {{ team }}\n", "yaml/complex-key", "1:5", "collection"),
    ("a: {<<: {b: 1}}\n", "yaml/merge-key", "1:5", "<<"),
    ("a: &x 1\n---\nb: *x\n", "yaml/unknown-anchor", "3:4", "&x"),
    ("a: *x\nb: &x 1\n", "yaml/unknown-anchor", "1:4", "&x"),
    ("a: &x [1, [*x]]\n", "yaml/recursive-alias", "1:12", "*x"),
    (LAUGHS, "yaml/alias-limit", "6:8", "*e"),
    ("a: !vault x\n", "yaml/unknown-tag", "1:4", "!vault"),
    ("a: !!set {x}\n", "yaml/unknown-tag", "1:4", "!!set"),
    ("a: !!binary aGk=\n", "yaml/unknown-tag", "1:4", "!!binary"),
    ("a: !!int four\n", "yaml/tag-mismatch", "1:4", "`four`"),
    ("a: !!map [x]\n", "yaml/tag-mismatch", "1:4", "list"),
    ("a: !!str {x: 1}\n", "yaml/tag-mismatch", "1:4", "mapping"),
    ("a: -.inf\n", "yaml/number-range", "1:4", "-.inf"),
    ("a: .NaN\n", "yaml/number-range", "1:4", ".NaN"),
    ("a: 18446744073709551616\n", "yaml/number-range", "1:4", "18446744073709551616"),
    ("a: " + "9" * 5000, "yaml/number-range", "1:4", "99..."),
    ("a: " + "[" * 70 + "\n", "yaml/too-deep", "1:67", "64"),
    ("[" * 100_000, "yaml/too-deep", "1:1001", "64"),
    ("{a: " * 5000, "yaml/too-deep", "1:257", "64"),
    ("- " * 5000, "yaml/too-deep", "1:129", "64"),
    (ALIAS_TOWER, "yaml/too-deep", "64:12", "64"),
    ("- a\n- b\n", "yaml/not-a-mapping", "1:1", "a list"),
    ("hello\n", "yaml/not-a-mapping", "1:1", "single value"),
    ("null\n", "yaml/not-a-mapping", "1:1", "single value"),
    ("", "yaml/empty-file", "1:1", "nothing"),
    ("# only words\n", "yaml/empty-file", "1:1", "nothing"),
    ("---\n---\n", "yaml/empty-file", "1:1", "nothing"),
    ("%YAML 1.1\n---\na: yes\n", "yaml/version", "1:1", "1.1"),
]
SYNTAX = [
    # text, place, word of the summary
    ("a: [1, 2\nb: 3\n", "1:4", "list `[` that is not closed"),
    ("a: {x: 1\nb: 3\n", "1:4", "mapping `{` that is not closed"),
    ("a: 'x\nb: 1\n", "1:4", "quote that is never closed"),
    ('a: "x\nb: 1\n', "1:4", "quote that is never closed"),
    ('a: "\\d"\n', "1:5", "an escape that YAML does not know"),
    ("a: @x\n", "1:4", "cannot begin with `@`"),
    ("a: `x`\n", "1:4", "cannot begin with a backtick"),
    ("a: %x\n", "1:4", "cannot begin with `%`"),
    ("a: b: c\n", "1:5", "second `: `"),
    ("a: 1\n b: 2\n", "2:3", "indented deeper"),
    ("a:\n  b: 1\n c: 2\n", "3:2", "does not line up with the mapping"),
    ("a:\n  - b: 1\n c: 2\n", "3:2", "does not line up with the mapping"),
    ("- a\nb: 1\n", "2:1", "does not line up with the list"),
    ("a: 1\nb\nc: 2\n", "2:1", "neither `key: value` nor part"),
    ("a: *\n", "1:4", "`*` needs a name"),
    ("a: | x\n  y\n", "1:6", "where the line should end"),
    ("a: -\n", "1:4", "list item that cannot stand here"),
    ("a: ?\n", "1:4", "`?` that cannot stand here"),
    ("a: ]\n", "1:4", "value is missing before `]`"),
    ("a: [1, 2]]\n", "1:10", "text after the end of a value"),
    ("a: 'it's'\n", "1:8", "text after the end of a value"),
    ("a: !x!y z\n", "1:4", "does not declare"),
    ("%YAML 1.3\n---\na: 1\n", "1:1", "version that does not exist"),
    ("%FOO\n---\na: 1\n", "1:5", "no directive of YAML"),
    ("a: 1\n...\nb: 2\n", "3:1", "does not belong to the value before it"),
    ("a: [\n---\nb: 1\n", "1:4", "not closed before the document ends"),
    ("a: {b: [\n", "1:8", "not closed before the document ends"),
    ("{% for t in teams %}\na: 1\n", "1:2", "cannot begin with `%`"),
]


@pytest.mark.parametrize(("text", "rule", "place", "word"), CASES)
def test_each_mistake_is_one_finding_at_its_place(text: str, rule: str, place: str, word: str) -> None:
    (finding,) = parse_text("f", text).findings
    assert (finding.rule, str(finding.at)) == (rule, f"f:{place}")
    assert word in finding.summary
    assert finding.detail
    assert finding.fix


@pytest.mark.parametrize(("text", "place", "words"), SYNTAX)
def test_a_syntax_error_is_said_in_our_words_where_the_mistake_is(text: str, place: str, words: str) -> None:
    (finding,) = parse_text("f", text).findings
    assert (finding.rule, str(finding.at)) == ("yaml/syntax", f"f:{place}")
    assert words in finding.summary
    assert finding.fix != findings.SYNTAX.fix


@pytest.mark.parametrize(("text", "places"), [("a: 'x\nb: 1\n", ["f:3:1"]), ("a: *\n", [])])
def test_the_place_where_a_mistake_was_noticed_is_shown_if_it_is_on_another_line(text: str, places: list[str]) -> None:
    (finding,) = parse_text("f", text).findings
    assert [str(other.at) for other in finding.also] == places


def test_a_line_of_equal_signs_alone_is_no_merge_conflict() -> None:
    (finding,) = parse_text("f", "a: |\n  Title\n=======\nb: [\n").findings
    assert finding.rule == "yaml/syntax"


def test_every_rule_about_text_has_a_case() -> None:
    about_text = {rule.id for rule in FINDINGS if rule.id.startswith("yaml/")}
    assert {rule for _, rule, _, _ in CASES} | {"yaml/syntax"} == about_text


SIGNS_FOR_MORE = {"yaml/forbidden-character", "yaml/alias-limit", "yaml/too-deep"}
"""Their bad examples stand for text that a page cannot show."""


@pytest.mark.parametrize("rule", [r for r in FINDINGS if r.id.startswith("yaml/")], ids=lambda r: r.id)
def test_the_examples_in_a_rule_do_what_they_say(rule: RuleDoc) -> None:
    assert parse_text("f", rule.good).findings == ()
    if rule.id not in SIGNS_FOR_MORE:
        assert {f.rule for f in parse_text("f", rule.bad).findings} == {rule.id}


def test_a_duplicate_key_shows_both_places_and_the_first_value_stays() -> None:
    parsed = parse_text("f", "teams:\n  a: 1\n  b: 2\n  a: 3\n  a: 4\n")
    assert [(str(f.at), [str(o.at) for o in f.also]) for f in parsed.findings] == [
        ("f:4:3", ["f:2:3"]),
        ("f:5:3", ["f:2:3"]),
    ]
    assert parsed.documents[0].plain() == {"teams": {"a": 1, "b": 2}}


def test_mistakes_of_content_are_found_all_at_once_and_leave_the_document_whole() -> None:
    parsed = parse_text("f", "580: x\na: !foo y\na: .inf\nb: !!int z\n")
    assert [f.rule for f in parsed.findings] == [
        "yaml/non-string-key",
        "yaml/unknown-tag",
        "yaml/duplicate-key",
        "yaml/number-range",
        "yaml/tag-mismatch",
    ]
    assert parsed.documents[0].plain() == {"580": "x", "a": "y", "b": "z"}


def test_a_broken_document_does_not_hide_the_ones_around_it() -> None:
    parsed = parse_text("f", "a: 1\n---\nb: [1\n---\nc: 1\nc: 2\n--- {d: 'x\n---\ne: 1\n")
    assert [d.plain() for d in parsed.documents] == [{"a": 1}, {"c": 1}, {"e": 1}]
    assert [(f.rule, str(f.at)) for f in parsed.findings] == [
        ("yaml/syntax", "f:3:4"),
        ("yaml/duplicate-key", "f:6:1"),
        ("yaml/syntax", "f:7:9"),
    ]


def test_reading_gives_up_after_many_broken_documents() -> None:
    assert len(parse_text("f", "--- [\n" * 1000).findings) == 20


def test_an_empty_document_beside_others_is_no_mistake() -> None:
    parsed = parse_text("f", "---\n---\na: 1\n---\n")
    assert parsed.findings == ()
    assert [d.plain() for d in parsed.documents] == [{"a": 1}]


def test_a_template_brace_is_answered_with_what_the_fleet_offers() -> None:
    (finding,) = parse_text("f", "{% for t in teams %}\n").findings
    assert "no template language" in finding.fix


def test_a_tab_is_allowed_where_yaml_allows_it() -> None:
    assert parse_text("f", "a: [1,\n\t2]\nb:\t3\nc: |\n  x\ty\n").findings == ()
