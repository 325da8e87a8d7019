"""What a scalar means: the core schema of YAML 1.2, and the few tags that belong to it.

Two departures, both on purpose. A decimal integer with a leading zero (`0800`, `010`) is a string: YAML 1.1, 1.2 and
Go's readers make three different numbers of it. Infinity and not-a-number are refused: JSON cannot carry them, so
nothing in a cluster can mean them.
"""

from __future__ import annotations

import math
import re
from typing import Final

from gpuplan.source.document import ScalarValue

TAG_PREFIX: Final = "tag:yaml.org,2002:"
"""What `!!` stands for."""

_WORDS: Final[dict[str, ScalarValue]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, ".Inf": math.inf, ".INF": math.inf, "+.inf": math.inf, "+.Inf": math.inf, "+.INF": math.inf,
    "-.inf": -math.inf, "-.Inf": -math.inf, "-.INF": -math.inf, ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
}  # fmt: skip
MAY_BE_NO_STRING: Final = frozenset(["", *"0123456789+-.~nNtTfF"])
"""What a plain scalar that is no string begins with: this test decides most text at once."""
_BEGINS_NUMBER: Final = frozenset("0123456789+-.")
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", re.ASCII)
_INT64: Final = range(-(2**63), 2**63)
_LONGEST_INT64: Final = 64
"""Digits; Python refuses to read integers of some thousand digits, and nothing this long fits anyway."""


def resolve_plain(text: str) -> ScalarValue:
    """Return what a scalar without quotes and tag means.

    A number that 64 bits cannot hold comes back as an infinity, for the caller to refuse along with `.inf` and `.nan`.

    >>> [resolve_plain(t) for t in ("8", "0x1F", "1e3", "yes", "0800", "12:30:45", "~")]
    [8, 31, 1000.0, 'yes', '0800', '12:30:45', None]
    """
    if text[:1] not in MAY_BE_NO_STRING:
        return text
    if text.isdecimal() and text.isascii() and len(text) < 19 and (text[0] != "0" or text == "0"):
        return int(text)  # nearly every number of a fleet
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _BEGINS_NUMBER:
        return text
    if _DECIMAL.fullmatch(text):
        return _integer(text, 10)
    if _BASED.fullmatch(text):
        return _integer(text[2:], 8 if text[1] == "o" else 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _integer(digits: str, base: int) -> int | float:
    if len(digits) > _LONGEST_INT64:
        return math.inf
    value = int(digits, base)
    return value if value in _INT64 else math.inf


_TAGGED: Final[dict[str, type]] = {
    "!": str,
    TAG_PREFIX + "str": str,
    TAG_PREFIX + "null": type(None),
    TAG_PREFIX + "bool": bool,
    TAG_PREFIX + "int": int,
    TAG_PREFIX + "float": float,
}
CORE_TAGS: Final = frozenset([*_TAGGED, TAG_PREFIX + "map", TAG_PREFIX + "seq"])
"""Every tag that a fleet may use."""


def resolve_tagged(tag: str, text: str) -> tuple[ScalarValue, bool]:
    """Return what a scalar means under a tag, and whether the tag is one for scalars that the text fits."""
    kind = _TAGGED.get(tag, str)
    if kind is str:
        return text, tag in _TAGGED
    value = resolve_plain(text)
    if kind is float and type(value) is int:
        value = float(value)
    return value, type(value) is kind
