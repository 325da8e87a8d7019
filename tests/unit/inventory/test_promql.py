"""PromQL is read with the place of each name, and names are found in what does not parse, too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.inventory.metrics.promql import Selector, read, walk
from gpuplan.inventory.metrics.promql_scan import scan

READ = {
    "up": ["up@0"],
    'sum by (node) (rate(a{b="c"}[5m])) / on (node) d': ["a@20", "d@47"],
    "topk(5, a) by (b) unless c": ["a@8", "c@25"],
    '{__name__="a", b="c"}': ["a@11"],
    '{"a.b", c="d"} or e': ["a.b@2", "e@18"],
    "a # b\n+ c": ["a@0", "c@8"],
    "max_over_time((a or b)[1h:5m] offset 1d)": ["a@15", "b@20"],
    "a * on (b) group_left (c) d": ["a@0", "d@26"],
    "count(a) without (b) > bool 5": ["a@6"],
    'label_replace(a, "b", "$1", "c", "(.*)")': ["a@14"],
}
BROKEN = {
    "a and 128 != bool 0": ["a@0"],
    "sum by (node) (a{b='c'}": ["a@15"],
    "a ==": ["a@0"],
    "rate(a) > b": ["a@5", "b@10"],
    'a{b="': ["a@0"],
    "": [],
}


def names(text: str) -> list[str]:
    return [f"{one.name}@{one.at}" for one in read(text).selectors]


@pytest.mark.parametrize("text", READ)
def test_metrics_are_found_with_their_places(text: str) -> None:
    assert not read(text).problem
    assert names(text) == READ[text]


@pytest.mark.parametrize("text", BROKEN)
def test_metrics_are_found_in_what_does_not_parse(text: str) -> None:
    assert read(text).problem
    assert names(text) == BROKEN[text]


def test_a_matcher_knows_where_its_value_stands() -> None:
    text = "sum(a{b='x'}) / sum(a{b=\"y\", c!~`z`})"
    matchers = [one for selector in read(text).selectors for one in selector.matchers]
    assert [(one.label, one.op, one.value, text[one.at + 1]) for one in matchers] == [
        ("b", "=", "x", "x"),
        ("b", "=", "y", "y"),
        ("c", "!~", "z", "z"),
    ]


def test_what_another_version_takes_is_told_from_what_none_takes() -> None:
    assert read("holt_winters(a[1h], 0.1, 0.1)").of_some_versions
    assert read("smoothed > 1").of_some_versions
    assert not read("no_such_function(a)").of_some_versions


@given(st.text(alphabet="ab_:(){}[]\"'`#=!~<>*,. 5m\n\\", max_size=40))
def test_any_text_is_read_and_every_place_holds_the_name(text: str) -> None:
    for one in scan(text):
        assert 0 <= one.at <= len(text)
    expression = read(text)
    assert (expression.tree is None) == bool(expression.problem)
    for node in walk(expression.tree) if expression.tree else ():
        if isinstance(node, Selector) and node.name.isidentifier():
            assert text[node.at :].startswith(node.name)


@pytest.mark.parametrize(
    "text", ["(" * 100_000 + "a", "a" + "+a" * 100_000, "-" * 100_000 + "a", "sum(" * 5000 + "a" + ")" * 5000]
)
def test_what_is_nested_without_end_is_not_looked_into_and_does_no_harm(text: str) -> None:
    read_ = read(text)
    assert read_.tree is None
    assert not read_.problem
    assert read_.selectors[0].name == "a"
