"""YAML for people says the same as the data, and keeps to its width where it can."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.manifests.compact import WIDTH, compact_text
from gpuplan.source.yamltext import parse_text

TEXT = st.sampled_from(("two\nlines", "two\nlines\n", "\n")) | st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60
)
KEY = st.text("abcdefghijklmnopqrstuvwxyz./-", min_size=1, max_size=30)
VALUE = st.recursive(
    st.one_of(TEXT, st.integers(-(10**9), 10**9), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEY, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
def test_reading_it_gives_the_data_back(data: dict[str, object]) -> None:
    parsed = parse_text("x.yaml", compact_text(data))
    assert not parsed.findings
    assert parsed.documents[0].plain() == data


def test_what_fits_stands_on_one_line_and_what_does_not_in_blocks() -> None:
    data = {"short": {"a": [1, 2]}, "long": {f"key{n}": "value" * 4 for n in range(8)}}
    text = compact_text(data)
    assert yaml.safe_load(text) == data
    assert text.splitlines()[0] == "short: {a: [1, 2]}"
    assert text.splitlines()[1] == "long:"
    assert max(map(len, text.splitlines())) <= WIDTH
