"""Files as an accident, an editor or a careless script leaves them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

VALUES = (
    "",
    "null",
    "[]",
    "{}",
    "[[]]",
    "{a: {b: [c]}}",
    "-1",
    "0",
    "1e999",
    "99999999999999999999",
    ".nan",
    "true",
    "'  '",
    '"\\u0000"',
    "2026-11-30",
    "0x1F",
    "1Ti",
    "12000m",
    "é漢字",
    "*x",
    "&x [1]",
    "!!binary aGk=",
    "{{ .Values.x }}",
    "|\n  a\n  b",
    "nvidia.com/mig-1g.5gb",
    "sum by (",
    "a, b, c, d",
)
Mutation = Callable[[str, random.Random], str]


def mutated(text: str, source: random.Random) -> bytes:
    """Return a text after one to four mutations; now and then its bytes are broken too."""
    for _ in range(source.randint(1, 4)):
        text = source.choice(MUTATIONS)(text, source)
    data = text.encode("utf-8", "replace")
    if source.random() < 0.1 and data:
        place = source.randrange(len(data))
        data = data[:place] + bytes([source.randrange(256)]) + data[place + 1 :]
    return data


def _replace_value(text: str, source: random.Random) -> str:
    places = list(re.finditer(r"(?<=[:\-,\[{] )[^\n,\[\]{}]+", text))
    if not places:
        return text
    place = source.choice(places)
    return text[: place.start()] + source.choice(VALUES) + text[place.end() :]


def _drop_line(text: str, source: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[source.randrange(len(lines))]
    return "".join(lines)


def _double_line(text: str, source: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        place = source.randrange(len(lines))
        lines.insert(place, lines[place])
    return "".join(lines)


def _swap_lines(text: str, source: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        one, other = source.sample(range(len(lines)), 2)
        lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def _indent(text: str, source: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        place = source.randrange(len(lines))
        lines[place] = source.choice(("  ", "\t", "- ")) + lines[place]
    return "".join(lines)


def _cut(text: str, source: random.Random) -> str:
    return text[: source.randrange(len(text))] if text else text


def _splice(text: str, source: random.Random) -> str:
    place = source.randrange(len(text) + 1)
    return text[:place] + source.choice(VALUES) + text[place:]


def _rename_key(text: str, source: random.Random) -> str:
    keys = list(re.finditer(r"[A-Za-z][A-Za-z-]*(?=:)", text))
    if len(keys) < 2:
        return text
    one, other = source.sample(keys, 2)
    return text[: one.start()] + other.group() + text[one.end() :]


MUTATIONS: tuple[Mutation, ...] = (
    _replace_value,
    _replace_value,
    _replace_value,
    _drop_line,
    _double_line,
    _swap_lines,
    _indent,
    _cut,
    _splice,
    _rename_key,
)
