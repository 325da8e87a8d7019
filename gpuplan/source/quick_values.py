"""Parts of values for the quick reader: words, keys, flow collections on one line, and whole texts of JSON.

Each raises `GivenUpError` at what the whole parser has to look at.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from gpuplan.source.yaml11 import key_name, resolve_plain


class GivenUpError(Exception):
    """The text holds something that the quick reader does not know. Never leaves `gpuplan.source`."""


DEEPEST: Final = 100
"""Collections inside each other; what is deeper is left to the whole parser."""
_COMMENT: Final = re.compile(r" *(?:#.*)?")
_FLOW_TOKEN: Final = re.compile(
    r""" *(?:([\[\]{},])|(?:"([^"\\\n]*)"|'([^'\n]*)')(:)?|([A-Za-z0-9_./][A-Za-z0-9_./@=+-]*)(:(?=[ ]))?)"""
)
_INTEGERS: Final = range(-(2**63), 2**64)


def json_value(text: str) -> object:
    """Return what a text of JSON says."""
    if "\\ud" in text or "\\uD" in text:
        raise GivenUpError
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_fraction, parse_constant=_refused
        )
    except (ValueError, RecursionError) as error:
        raise GivenUpError from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise GivenUpError
    return found


def _integer(digits: str) -> int:
    if len(digits) > 20 or (value := int(digits)) not in _INTEGERS:
        raise GivenUpError
    return value


def _fraction(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise GivenUpError
    return value


def _refused(_: str) -> float:
    raise GivenUpError


def plain(word: str) -> Any:
    """Return what a word, or several, without quotes mean."""
    value = resolve_plain(word)
    if value.__class__ is float and not math.isfinite(value):
        raise GivenUpError
    return value


def key(written: str) -> str:
    """Return the name that a key has, quotes undone."""
    name = written[1:-1] if written[0] in "\"'" else key_name(resolve_plain(written))
    if name is None:
        raise GivenUpError
    return name


def flow(text: str) -> object:
    """Return a flow collection that ends with its line."""
    value, at = _flow_value(text, 0, 0)
    if not _COMMENT.fullmatch(text, at) or text[at : at + 1] == "#":
        raise GivenUpError
    return value


def _flow_value(text: str, at: int, depth: int) -> tuple[object, int]:
    token = _FLOW_TOKEN.match(text, at)
    if token is None or token[4] or token[6]:
        raise GivenUpError
    sign, double, single, _, word, _ = token.groups()
    if sign is None:
        return (plain(word) if word is not None else double if double is not None else single), token.end()
    if depth == DEEPEST or sign not in "[{":
        raise GivenUpError
    return (_flow_list if sign == "[" else _flow_mapping)(text, token.end(), depth + 1)


def _flow_list(text: str, at: int, depth: int) -> tuple[object, int]:
    items: list[object] = []
    while True:
        token = _FLOW_TOKEN.match(text, at)
        if token is not None and token[1] == "]" and not items:
            return items, token.end()
        value, at = _flow_value(text, at, depth)
        items.append(value)
        token = _FLOW_TOKEN.match(text, at)
        if token is None or token[1] not in (",", "]"):
            raise GivenUpError
        at = token.end()
        if token[1] == "]":
            return items, at


def _flow_mapping(text: str, at: int, depth: int) -> tuple[object, int]:
    entries: dict[str, object] = {}
    while True:
        token = _FLOW_TOKEN.match(text, at)
        if token is None:
            raise GivenUpError
        sign, double, single, quoted_colon, word, colon = token.groups()
        if sign == "}" and not entries:
            return entries, token.end()
        if sign is not None or not (quoted_colon or colon):
            raise GivenUpError
        name = key(word) if word is not None else double if double is not None else single
        if name in entries:
            raise GivenUpError
        entries[name], at = _flow_value(text, token.end(), depth)
        token = _FLOW_TOKEN.match(text, at)
        if token is None or token[1] not in (",", "}"):
            raise GivenUpError
        at = token.end()
        if token[1] == "}":
            return entries, at
