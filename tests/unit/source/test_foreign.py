"""YAML of others means what `sigs.k8s.io/yaml` makes of it: by a table, and against that program itself."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuplan.source.document import Mapping
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.pieces import pieces
from gpuplan.source.yaml11 import key_name, resolve_plain
from tests.unit.inventory.damage import damaged

SCALARS = [
    *(("yes", True), ("On", True), ("y", True), ("N", False), ("OFF", False), ("yEs", "yEs"), ("true", True)),
    *(("~", None), ("null", None), ("NULL", None), ("nUll", "nUll"), ("nil", "nil")),
    *(("0777", 511), ("0o777", 511), ("-010", -8), ("0800", 800.0), ("0x1F", 31), ("+0b11", 3), ("00", 0), ("0o8", "0o8")),
    *(("1_000", 1000), ("1__0_", 10), ("_1", "_1"), ("12:30:45", "12:30:45"), ("1e3", 1000.0), ("1.", 1.0), (".5", 0.5)),
    *(("685_230.15", 685230.15), ("1e999", "1e999"), ("--1", "--1"), (".", "."), ("+.5", 0.5), ("1g.5gb", "1g.5gb")),
    *(("2026-01-01", "2026-01-01"), ("18446744073709551615", 2**64 - 1), ("18446744073709551616", 2.0**64)),
    *(("-9223372036854775809", -(2.0**63)), ("+9223372036854775808", 2.0**63), ("0xFFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFFF")),
    *(("16Gi", "16Gi"), ("100m", "100m"), ("1.30", 1.3), ("<<", "<<"), ("=", "="), ("0x_", "0x_"), ("1_e3", 1000.0)),
]  # fmt: skip
KEYS = [
    ("yes", "true"),
    ("0777", "511"),
    ("1.50", "1.5"),
    ("1e6", "1e+06"),
    ("123456.7", "123456.7"),
    ("0.00001", "1e-05"),
]
TEXTS = [
    ("a: &x {k: 1}\nb: {<<: *x, l: 2}", {"a": {"k": 1}, "b": {"k": 1, "l": 2}}),
    ("a: &x {k: 1}\nb: {<<: *x, k: 2}", {"a": {"k": 1}, "b": {"k": 2}}),
    ("a: &x {k: 1}\nb: {k: 2, <<: *x}", {"a": {"k": 1}, "b": {"k": 1}}),
    ("a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y]}", {"a": {"k": 1}, "b": {"k": 2, "l": 3}, "c": {"k": 1, "l": 3}}),
    ("a: &x {k: {m: 1}}\nb: {<<: *x, k: {o: 2}}", {"a": {"k": {"m": 1}}, "b": {"k": {"o": 2}}}),
    ('"<<": 1', {"<<": 1}),
    ("a: &x 5\nb: *x", {"a": 5, "b": 5}),
    ("on: push\n1: one", {"true": "push", "1": "one"}),
    ("a:\nb: ''\nc: ~", {"a": None, "b": "", "c": None}),
    ("a: !!str 5\nb: !!int '5'\nc: !!float 5\nd: !custom x\ne: !seq [1]\nf: !!binary aGk=", {"a": "5", "b": 5, "c": 5.0, "d": "x", "e": [1], "f": "hi"}),
    ("%YAML 1.1\n---\na: yes", {"a": True}),
    ('{"a": "\\ud83d\\ude00\\/", "b":[1,2.0],\n\t"c":null}', {"a": "😀/", "b": [1, 2.0], "c": None}),
    ("\ufeffa: 1", {"a": 1}),
    ("a: |+\n  x\n\nb: >-\n  x\n  y", {"a": "x\n\n", "b": "x y"}),
]  # fmt: skip
REFUSED = [
    ("a: 1\na: 2", "yaml/duplicate-key", 2, 1),
    ("a: &x {k: 1}\nb: {<<: *x, k: 2, k: 3}", "yaml/duplicate-key", 2, 19),
    ("a: 1\n? [1]\n: x", "yaml/complex-key", 2, 3),
    ("~: x", "yaml/non-string-key", 1, 1),
    ("a: .inf", "yaml/number-range", 1, 4),
    ("<<: 5", "yaml/merge-key", 1, 1),
    ("a: &x [{k: 1}]\nb: {<<: [*x]}", "yaml/merge-key", 2, 5),
    ("a: *x", "yaml/unknown-anchor", 1, 4),
    ("a: &x {b: *x}", "yaml/recursive-alias", 1, 11),
    ("a: !!int four", "yaml/tag-mismatch", 1, 4),
    ("a: [1", "yaml/syntax", 1, 4),
    ("a:\n\tb: 1", "yaml/tab-indentation", 2, 1),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_plain_scalar_means_what_go_yaml_makes_of_it(text: str, value: object) -> None:
    assert (type(resolve_plain(text)), resolve_plain(text)) == (type(value), value)


@pytest.mark.parametrize(("text", "name"), KEYS)
def test_a_key_that_is_no_string_becomes_the_string_that_json_has(text: str, name: str) -> None:
    assert key_name(resolve_plain(text)) == name


@pytest.mark.parametrize(("text", "value"), TEXTS)
def test_a_text_that_others_read_is_read_without_findings(text: str, value: object) -> None:
    read = parse_foreign("a.yaml", text)
    assert ([root.plain() for root in read.roots], read.findings, read.broken) == ([value], (), False)


@pytest.mark.parametrize(("text", "rule", "line", "column"), REFUSED)
def test_what_others_refuse_or_read_in_two_ways_is_found_at_its_place(
    text: str, rule: str, line: int, column: int
) -> None:
    found = parse_foreign("a.yaml", text).findings
    assert [(f.rule, f.at.line, f.at.column) for f in found] == [(rule, line, column)]


def test_a_value_that_was_merged_stands_where_it_was_written() -> None:
    root = parse_foreign("a.yaml", "base: &b\n  k: 1\nmore:\n  <<: *b\n").roots[0]
    more = root.get("more")  # type: ignore[attr-defined]  # a mapping, as the text shows
    assert str(more.get("k").span) == "a.yaml:2:6"


def test_reading_goes_on_behind_a_broken_document_and_lists_are_documents_too() -> None:
    read = parse_foreign("a.yaml", "a: [1\n---\n- 1\n---\n---\nb: 2\n")
    assert ([root.plain() for root in read.roots], read.broken) == ([[1], {"b": 2}], True)


def as_float(value: object) -> object:
    """A large number as a float: Go prints its shortest digits, which Python reads as an integer."""
    return float(value) if isinstance(value, int | float) and abs(value) > 2**53 else value


def by_kubernetes(binary: Path, texts: list[str]) -> list[dict[str, Any]]:
    """What the real reader makes of texts: `value` or `error` for each."""
    done = subprocess.run([binary], input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the program's own output


@pytest.mark.controlplane
def test_the_tables_are_what_the_real_reader_says(yamlread: Path) -> None:
    read = by_kubernetes(yamlread, [f"a: {text}" for text, _ in SCALARS])
    assert [as_float(one["value"]["a"]) for one in read] == [as_float(value) for _, value in SCALARS]
    read = by_kubernetes(yamlread, [f"{text}: x" for text, _ in KEYS])
    assert [one.get("value") for one in read] == [{name: "x"} for _, name in KEYS]
    told = [text for text, _, _, _ in REFUSED]
    assert [("value" in one, text) for one, text in zip(by_kubernetes(yamlread, told), told, strict=True)] == [
        (False, text) for text in told
    ]


SIGNS = st.text(alphabet="0123456789_+-.eExXoObBaAfFyYnNtrusl~", max_size=8)


@pytest.mark.controlplane
@settings(max_examples=20, deadline=None)
@given(st.lists(SIGNS, min_size=50, max_size=200))
@example(["0b", "-0b11", "+0o7", "0_7", "1e", "._5", ".5_5", "0x1p-2", "1_.5", "-.5e-3", "+", "", "0.0", "-0", "-0.0"])
def test_any_short_word_is_read_as_the_real_reader_reads_it(yamlread: Path, words: list[str]) -> None:
    texts = [f"k: {word}\n" for word in words]
    for text, real in zip(texts, by_kubernetes(yamlread, texts), strict=True):
        ours = parse_foreign("a.yaml", text)
        assert bool(ours.findings) == ("error" in real), (text, real)
        if "value" in real:
            (root,) = ours.roots
            assert isinstance(root, Mapping)
            assert as_float(root.plain()["k"]) == as_float(real["value"]["k"]), text


SOUND = [
    path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parents[2] / "cases/inputs").glob("C*.yaml"))
]
NOT_TOLD = ("does not belong", "unexpected ':'")
"""What go-yaml passes over in silence: text after the end of a document, which is lost, and `{a:, b}`, which is odd. Of several documents, and where directives keep a file whole, it reads the first."""


@pytest.mark.controlplane
def test_damaged_manifests_are_read_or_refused_as_the_real_reader_does(yamlread: Path) -> None:
    dice = random.Random(7)
    files = [damaged(dice.choice(SOUND), dice) for _ in range(600)]
    texts = [piece.text for file in files for piece in pieces("a.yaml", file)]
    for text, real in zip(texts, by_kubernetes(yamlread, texts), strict=True):
        ours = parse_foreign("a.yaml", text)
        values = [root.plain() for root in ours.roots]
        if len(values) > 1 or "\n%" in text or any(said in one.summary for one in ours.findings for said in NOT_TOLD):
            continue
        assert bool(ours.findings) == ("error" in real), (text, real)
        assert "error" in real or real["value"] == (values[0] if values else None), text
