"""Whom an alert reaches is decided here as amtool decides it, for trees and matchers in every way to write them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.inventory.metrics import matchers, routing

NAMES = ("team", "severity", "alertname")
VALUES = ("", "vision", "search", "warning", "GpuThrottled", "a b", 'q"q', "x.y")
EXPRESSIONS = ("vis.*", "vision|search", "", ".+", "warn", "Gpu.+|x", "(?i)VISION", "[a-z]+", r"x\.y", "^vision$")
RECEIVERS = ("a", "b", "c", "d")


def quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@st.composite
def new_matchers(draw: st.DrawFn) -> str:
    """One matcher, or several in braces; blanks where they may stand."""
    made = []
    for _ in range(draw(st.integers(1, 2))):
        op = draw(st.sampled_from(("=", "!=", "=~", "!~")))
        value = draw(st.sampled_from(EXPRESSIONS if "~" in op else VALUES))
        bare = bool(value) and not set(value) & set(' "\\{}!=~,')
        blank = draw(st.sampled_from(("", " ")))
        written = value if bare and draw(st.booleans()) else quoted(value)
        made.append(f"{draw(st.sampled_from(NAMES))}{blank}{op}{blank}{written}")
    text = ",".join(made)
    return f"{{{text}}}" if draw(st.booleans()) else text


def route(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "receiver": st.sampled_from(RECEIVERS),
            "match": st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=1),
            "match_re": st.dictionaries(st.sampled_from(NAMES), st.sampled_from(EXPRESSIONS), max_size=1),
            "matchers": st.lists(new_matchers(), max_size=2),
            "continue": st.booleans(),
            "routes": st.lists(children, max_size=3),
        },
    )


LEAF = route(st.just({}))
TREES = st.lists(st.recursive(LEAF, route, max_leaves=8), min_size=1, max_size=4)
LABELS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES))


def asked(amtool: Path, file: Path, labels: Mapping[str, str]) -> str:
    words = [f"{name}={quoted(value)}" for name, value in labels.items()]
    command: list[str | Path] = [amtool, "config", "routes", "test", f"--config.file={file}", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@given(TREES, st.lists(LABELS, min_size=2, max_size=4))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_alert_reaches_whom_amtool_says(
    amtool: Path, routes: list[dict[str, Any]], every: list[dict[str, str]]
) -> None:
    text = json.dumps(
        {"route": {"receiver": "a", "routes": routes}, "receivers": [{"name": name} for name in RECEIVERS]}
    )
    made = routing.read(text)
    assert made.problems == ()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "alertmanager.yaml"
        file.write_text(text, encoding="utf-8")
        for labels in every:
            assert ",".join(made.receivers_of(labels)) == asked(amtool, file, labels), labels


SIGNS = st.text(st.sampled_from("abn_:= !~,\"\\{}' é"), max_size=12)


@given(st.one_of(SIGNS, st.builds("a{}{}".format, st.sampled_from(("=", "!=")), SIGNS)))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_written_as_a_matcher_is_read_or_refused_as_by_alertmanager(amtool: Path, text: str) -> None:
    read = matchers.read(text)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "alertmanager.yaml"
        tree = {"receiver": "a", "routes": [{"matchers": [text], "receiver": "b"}]}
        file.write_text(json.dumps({"route": tree, "receivers": [{"name": "a"}, {"name": "b"}]}), encoding="utf-8")
        command: list[str | Path] = [amtool, "config", "routes", "show", f"--config.file={file}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (not isinstance(read, str)), (text, read, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("foo=bar", "bar"),
        ('foo="b\\"r"', 'b"r'),
        ("foo=b\\q", "b\\q"),
        ('foo="b\\u00e9"', "b\\u00e9"),
        ('"f o"="b\\u00e9\\x41\\101"', "béAA"),
        (" foo = a b ", "a b"),
    ],
)
def test_a_value_is_what_the_parser_that_counts_makes_of_it(text: str, value: str) -> None:
    read = matchers.read(text)
    assert not isinstance(read, str)
    (made,) = read
    assert made.value == value


@pytest.mark.parametrize("text", ["a=~[[:alpha:]]+", 'a=~"x{,3}"', r'a=~"\\pL"', "a=~a(?i)b"])
def test_an_expression_that_python_may_take_otherwise_is_not_decided(text: str) -> None:
    assert "not understood" in str(matchers.read(text))
    made = routing.read(f"route: {{receiver: a, routes: [{{receiver: b, matchers: ['{text}']}}]}}")
    assert len(made.problems) == 1
