"""The quick reader reads the plain style, and gives up wherever the whole parser has something to say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.manifests.write import yaml_text
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.quick import EMPTY, UNREAD, quick
from tests.unit.manifests.json_values import values

READ = {
    "a mapping": ("a: 1\nb: x y # c\nc:\n", {"a": 1, "b": "x y", "c": None}),
    "lists at the level of their key and deeper": ("a:\n- 1\nb:\n  - 2\n  - c: 3\n    d: 4\n", {"a": [1], "b": [2, {"c": 3, "d": 4}]}),
    "a list of lists of mappings": ("- a:\n  - b: 1\n- c\n", [{"a": [{"b": 1}]}, "c"]),
    "quotes": ("a: \"x: y\"\nb: 'it''s' # c\n\"c d\": ''\n", {"a": "x: y", "b": "it's", "c d": ""}),
    "flow": ("a: [b, \"c\", 1, {d: 'e', f: []}] # g\nh: {}\n", {"a": ["b", "c", 1, {"d": "e", "f": []}], "h": {}}),
    "blocks": ("a: |\n  x: 1\n\n    y\n\nb: |-\n  z\n\nc: |+\n  w\n\n", {"a": "x: 1\n\n  y\n", "b": "z", "c": "w\n\n"}),
    "a block in a list": ("- |\n  x\n- a: |\n    y\n  b: z\n", ["x\n", {"a": "y\n", "b": "z"}]),
    "a marker with a comment": ("--- # one\na: b\n", {"a": "b"}),
    "words with signs": ("a: http://x:80/y#z\nb: -x\nc: a,b]\nd: x:y\n", {"a": "http://x:80/y#z", "b": "-x", "c": "a,b]", "d": "x:y"}),
    "keys that are no strings": ("1: a\nyes: b\n1g.5gb: c\n", {"1": "a", "true": "b", "1g.5gb": "c"}),
    "no line end": ("a: b", {"a": "b"}),
    "JSON": ('{"a": [1, 2.5, null, true, "\\u00e9"],\n "b": {}}', {"a": [1, 2.5, None, True, "é"], "b": {}}),
    "nothing": ("# a\n\n", EMPTY),
}  # fmt: skip
LEFT = {
    "an anchor": "a: &b c\n",
    "an alias": "a: *b\n",
    "a tag": "a: !!str 5\n",
    "folded text": "a: >\n  b\n",
    "plain text over lines": "a: b\n  c\n",
    "a value on the next line": "a:\n  b\n",
    "quotes over lines": 'a: "b\n  c"\n',
    "an escape": 'a: "b\\n"\n',
    "a key twice": "a: 1\nb: 2\na: 3\n",
    "a key twice in flow": "a: {b: 1, b: 2}\n",
    "a key twice in JSON": '{"a": 1, "a": 2}',
    "a merge key": "<<: {a: 1}\n",
    "a null key": "~: 1\n",
    "infinity": "a: .inf\n",
    "infinity in JSON": '{"a": Infinity}',
    "a colon in a value": "a: b: c\n",
    "a line that does not line up": "a:\n   b: 1\n  c: 2\n",
    "a list where a mapping goes on": "a: 1\n- b\n",
    "a mapping deeper than a value": "a: 1\n  b: 2\n",
    "a bracket that stays open": "a: [b\n",
    "a block with less indented beginning": "a: |\n    \n  b\n",
    "a block that does not end its line": "a: |\n  b",
    "a single value": "a\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "an end of a document": "a: 1\n...\n",
    "an empty item": "-\n",
    "a directive": "%YAML 1.1\n---\na: 1\n",
}


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_the_plain_style_is_read_as_the_whole_parser_reads_it(text: str, value: object) -> None:
    whole = [root.plain() for root in parse_foreign("a.yaml", text).roots]
    assert repr(quick(text)) == repr(value)
    assert repr(whole) == repr([] if value is EMPTY else [value])


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_unusual_or_wrong_is_left_to_the_whole_parser(text: str) -> None:
    assert quick(text) is UNREAD


@settings(max_examples=300, deadline=None)
@given(values)
def test_what_we_write_is_read_back_or_left(value: object) -> None:
    text = yaml_text({"a": value, "b": [value, {"c": value}]})
    read = quick(text)
    if read is not UNREAD:
        (root,) = parse_foreign("a.yaml", text).roots
        assert repr(read) == repr(root.plain())


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(["a:", "b: ", "- ", "  ", "c", "\n", "\n", "'d'", "[e]", "|\n", "#", "{f: g}", "1"]),
        max_size=14,
    )
)
def test_any_layout_is_read_alike_or_left(parts: list[str]) -> None:
    text = "".join(parts)
    read = quick(text)
    if read is not UNREAD:
        whole = parse_foreign("a.yaml", text)
        assert (repr([root.plain() for root in whole.roots]), whole.findings) == (
            repr([] if read is EMPTY else [read]),
            (),
        )
