"""What a scalar means to the programs around Kubernetes: kubectl, Helm and NVIDIA's tools read YAML by `sigs.k8s.io/yaml`.

That is go-yaml 2: the words of YAML 1.1 (`yes`, `off`), Go's integers (`0777` is octal, `1_000` has four digits), base 60
left out, dates as strings. A tag that it does not know leaves the text as it is.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from itertools import chain
from typing import Final

from gpuplan.source.document import ScalarValue
from gpuplan.source.scalars import TAG_PREFIX

_YES: Final = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_NO: Final = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_WORDS: Final[dict[str, ScalarValue]] = {
    **dict.fromkeys(_YES, True),
    **dict.fromkeys(_NO, False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(chain(*((f"{sign}.inf", f"{sign}.Inf", f"{sign}.INF") for sign in ("", "+"))), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}  # fmt: skip
MAY_BE_NO_STRING: Final = frozenset(["", *"0123456789+-.~yYnNtTfFoO"])
"""What a plain scalar that is no string begins with."""
_BEGINS_NUMBER: Final = frozenset("0123456789+-")
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_BASED: Final = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_FRACTION: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?", re.ASCII)
"""What begins with a point goes to Go's own reader of floats, which takes single underscores."""
_TIMESTAMP: Final = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ][0-9:.]+(?:Z|[-+][0-9:]+)?)?", re.ASCII)
_MOST_DIGITS: Final = 64
"""Python refuses to read integers of some thousand digits; far fewer are past 64 bits."""


def resolve_plain(text: str) -> ScalarValue:
    """Return what a scalar without quotes and tag means; infinities and not-a-number as such, for the caller to refuse.

    >>> [resolve_plain(t) for t in ("8", "0777", "1_000", "yes", "0800", "12:30:45", "2026-01-01", "~")]
    [8, 511, 1000, True, 800.0, '12:30:45', '2026-01-01', None]
    """
    if text[:1] not in MAY_BE_NO_STRING:
        return text
    if text.isdecimal() and text.isascii() and len(text) < 19 and (text[0] != "0" or text == "0"):
        return int(text)  # nearly every number of a manifest
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _BEGINS_NUMBER:
        return _number(text)
    return _float(text.replace("_", ""), text) if _FRACTION.fullmatch(text) else text


def _number(text: str) -> ScalarValue:
    digits = text.replace("_", "")
    value: int | None = None
    if len(digits) <= _MOST_DIGITS:
        if _DECIMAL.fullmatch(digits):
            value = int(digits)
        elif based := _BASED.fullmatch(digits):
            sign, sixteen, two, eight = based.groups()
            value = int(sign + (sixteen or two or eight), 16 if sixteen else 2 if two else 8)
    if value is not None and -(2**63) <= value < (2**63 if digits[0] in "+-" else 2**64):
        return value
    return _float(digits, text)


def _float(digits: str, text: str) -> float | str:
    """Return the number; the text where it is none, or one past what a float holds."""
    if not _FLOAT.fullmatch(digits):
        return text
    value = float(digits)
    return value if math.isfinite(value) else text


_KINDS: Final[dict[str, type]] = {"null": type(None), "bool": bool, "int": int, "float": float}


def resolve_tagged(tag: str, text: str) -> tuple[ScalarValue, bool]:
    """Return what a scalar means under a tag, and whether the text fits it."""
    if tag == "!":
        return resolve_plain(text), True
    name = tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else ""
    if name == "binary":
        return _decoded(text)
    if name == "timestamp":
        return text, bool(_TIMESTAMP.fullmatch(text))
    kind = _KINDS.get(name)
    if kind is None:
        return text, True
    value = resolve_plain(text)
    if kind is float and type(value) is int:
        value = float(value)
    return value, type(value) is kind


def _decoded(text: str) -> tuple[str, bool]:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace"), True
    except (binascii.Error, ValueError):
        return text, False


def key_name(value: ScalarValue) -> str | None:
    """Return the string that a key becomes in JSON; None where there is no such (null).

    >>> [key_name(k) for k in ("a", True, 511, 1.50, 1e21, None)]
    ['a', 'true', '511', '1.5', '1e+21', None]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _single(value)


def _single(value: float) -> str:
    """Write a float with the fewest digits that 32 bits tell from its neighbours, as Go does for keys."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    try:
        wanted = struct.pack("f", value)
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    shown = next(text for digits in range(9) if struct.pack("f", float(text := f"{value:.{digits}e}")) == wanted)
    mantissa, _, power = shown.partition("e")
    if -4 <= int(power) < 6:
        return f"{float(shown):.{max(0, len(mantissa.partition('.')[2]) - int(power))}f}"
    return shown
