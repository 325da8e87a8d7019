"""What plain text means: the core schema of YAML 1.2."""

from __future__ import annotations

import math

import pytest

from gpuplan.source.scalars import TAG_PREFIX, resolve_plain, resolve_tagged
from gpuplan.source.yamltext import parse_text

MEANINGS = [
    # text, value
    ("8", 8),
    ("-8", -8),
    ("+8", 8),
    ("0", 0),
    ("-0", 0),
    ("0o17", 15),
    ("0x1F", 31),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("1.5", 1.5),
    ("1.", 1.0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("1e3", 1000.0),
    ("1E+3", 1000.0),
    ("1.5e-3", 0.0015),
    ("1.30", 1.3),
    ("true", True),
    ("False", False),
    ("null", None),
    ("~", None),
    ("", None),
    # text that only YAML 1.1 or Python would read as something else
    ("yes", "yes"),
    ("on", "on"),
    ("Off", "Off"),
    ("y", "y"),
    ("tRUE", "tRUE"),
    ("12:30:45", "12:30:45"),
    ("0800", "0800"),
    ("017", "017"),
    ("-01", "-01"),
    ("0b101", "0b101"),
    ("0O17", "0O17"),
    ("-0x1F", "-0x1F"),
    ("1_000", "1_000"),
    ("1,000", "1,000"),
    ("2026-08-01", "2026-08-01"),
    ("1.2.3", "1.2.3"),
    ("1e", "1e"),
    ("e3", "e3"),
    (".", "."),
    ("-", "-"),
    ("+", "+"),
    ("inf", "inf"),
    ("nan", "nan"),
    ("1g.5gb", "1g.5gb"),
    ("580", 580),
    ("٣", "٣"),
    ("²", "²"),
    ("train", "train"),
]


@pytest.mark.parametrize(("text", "value"), MEANINGS)
def test_plain_text_means_what_yaml_1_2_says(text: str, value: object) -> None:
    meant = resolve_plain(text)
    assert (meant, type(meant)) == (value, type(value))


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "0x" + "F" * 17, "9" * 5000, "1e999"])
def test_a_number_that_64_bits_cannot_hold_comes_back_as_infinity(text: str) -> None:
    value = resolve_plain(text)
    assert isinstance(value, float)
    assert math.isinf(value)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("str", "580", ("580", True)),
        ("int", "0x1F", (31, True)),
        ("int", "1.5", (1.5, False)),
        ("int", "true", (True, False)),
        ("float", "2", (2.0, True)),
        ("float", "two", ("two", False)),
        ("bool", "true", (True, True)),
        ("bool", "yes", ("yes", False)),
        ("null", "", (None, True)),
        ("null", "0", (0, False)),
        ("map", "x", ("x", False)),
        ("binary", "aGk=", ("aGk=", False)),
    ],
)
def test_a_tag_decides_the_type_and_the_text_must_fit(kind: str, text: str, expected: tuple[object, bool]) -> None:
    value, fits = resolve_tagged(TAG_PREFIX + kind, text)
    assert (value, type(value), fits) == (expected[0], type(expected[0]), expected[1])


def test_quotes_and_blocks_make_strings() -> None:
    text = "a: '1'\nb: \"true\"\nc: |-\n  1\nd: >-\n  null\ne: ! 5\nf: ''\n"
    (document,) = parse_text("f", text).documents
    assert document.plain() == {"a": "1", "b": "true", "c": "1", "d": "null", "e": "5", "f": ""}
