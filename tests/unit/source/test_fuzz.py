"""No text makes the reader fail, whatever it holds; and what it accepts, it reads as the reference readers do."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gpuplan.diagnostics import Span
from gpuplan.source.document import Document, Mapping, Node, Scalar, Sequence, split_lines
from gpuplan.source.yamltext import Parsed, parse_text

EXAMPLES = 5_000 if os.environ.get("CI") else 500
"""Texts to try; CI tries all 5,000."""

SOUND = """\
# yaml-language-server: $schema=../schemas/fleet.schema.json
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: "acme", note: 'it''s', 日本: 🎉}
nodePools:
  h100-a: &pool
    nodes: 16
    taints:
    - {key: nvidia.com/gpu, effect: NoSchedule}
    - key: b
    sharing: {mig: {profiles: {1g.5gb: 7}}}
  l40s: *pool
---
text: |
  one
  two
folded: >-
  a
  b
empty:
numbers: [1, 0x1F, 1e3, .5, ~, true, !!str 5, "\\u00e9"]
...
"""
SCRAPS = [
    *(
        "---",
        "\n",
        "\r\n",
        "\t",
        " ",
        "  ",
        ": ",
        "- ",
        "? ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "#",
        "&a",
        "*a",
        "!",
        "!!int ",
        "|",
    ),
    *(">", "'", '"', "\\", "%", "@", "`", "<<: ", "{{", "}}", "a", "0", "1e999", ".inf", "\x00", "\x85", "\u2028"),
    *("\ufeff", "é", "🎉", "...", "%YAML 1.1", "%TAG ! x", "<<<<<<< ", "=======", "\x1b", "\ud800", "\r"),
]


@st.composite
def damaged_fleets(draw: st.DrawFn) -> str:
    """A sound file with a few places cut out, doubled or overwritten."""
    text = SOUND
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        put = draw(st.sampled_from(SCRAPS) | st.just(text[start:end] * 2) | st.text(max_size=3))
        text = text[:start] + put + text[end:]
    return text


texts = st.text(max_size=200) | st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join)


def spans(parsed: Parsed) -> Iterator[Span]:
    for finding in parsed.findings:
        yield finding.at
        yield from (other.at for other in finding.also)
    for document in parsed.documents:
        yield from node_spans(document.root)


def node_spans(node: Node) -> Iterator[Span]:
    yield node.span
    if isinstance(node, Mapping):
        for entry in node:
            yield entry.key_span
            yield from node_spans(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from node_spans(item)


def assert_inside(span: Span, lines: tuple[str, ...]) -> None:
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1
    assert (span.line, span.column) <= (span.end_line, span.end_column)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(damaged_fleets(), texts))
@example(SOUND)
def test_any_text_gives_documents_or_findings_that_stand_inside_it(text: str) -> None:
    parsed = parse_text("f", text)
    lines = split_lines(text.removeprefix("\ufeff"))
    assert parsed.documents or parsed.findings
    for span in spans(parsed):
        assert_inside(span, lines)
    for document in parsed.documents:
        json.dumps(document.plain(), allow_nan=False)


writable = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\ufeff")
).filter(lambda text: text[:1] not in ("?", ":"))
"""What a file can hold unescaped; libyaml reads a `?` or `:` at the start of text inside brackets as YAML 1.1 did."""
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | writable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(writable, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(writable, json_values, max_size=5))
def test_json_reads_as_itself(data: dict[str, object]) -> None:
    (document,) = parse_text("f", json.dumps(data, ensure_ascii=False)).documents
    assert document.plain() == data


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(writable, json_values, min_size=1, max_size=5))
def test_what_ruamel_writes_as_yaml_1_2_reads_as_itself(data: dict[str, object]) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_unicode = True
    yaml.width = 10_000  # it breaks long keys, which a key may not be
    out = io.StringIO()
    yaml.dump(data, out)
    (document,) = parse_text("f", out.getvalue()).documents
    assert document.plain() == data


names = st.text("abcé日🎉-_.", min_size=1, max_size=8).filter(lambda name: name[0] not in "-.")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(names, names), min_size=1, unique_by=lambda pair: pair[0]), st.sampled_from(["\n", "\r\n", "\r"])
)
def test_the_text_at_a_span_is_the_text_of_the_value(pairs: list[tuple[str, str]], end: str) -> None:
    text = "\ufeff" + "".join(f"{key}: # c{end}  - {{{value}: '{value}'}}{end}" for key, value in pairs)
    (document,) = parse_text("f", text).documents
    for scalar in scalars(document.root):
        span = scalar.span
        written = document.lines[span.line - 1][span.column - 1 : span.end_column - 1]
        assert written == (f"'{scalar.text}'" if scalar.style else scalar.text)
        assert span.line == span.end_line


def scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for entry in node:
            yield entry.key
            yield from scalars(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item)


def test_the_sound_file_is_sound() -> None:
    parsed = parse_text("f", SOUND)
    assert parsed.findings == ()
    first, second = parsed.documents
    assert isinstance(first, Document)
    assert second.plain()["numbers"] == [1, 31, 1000.0, 0.5, None, True, "5", "é"]
