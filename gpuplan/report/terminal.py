"""What a terminal can show: colour where it is wanted, width in cells, and no control of the terminal by a file's content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

STYLES: Final[Mapping[str, str]] = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "place": "1",
    "frame": "2",
    "fix": "32",
}
"""Names to the parameters of ANSI's `CSI … m`."""

_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Control characters, signs that turn the direction of text or cannot be seen, and halves of characters. Tab is none."""


def wants_colour(environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Tell whether to colour: NO_COLOR forbids, FORCE_COLOR (but `0`) demands, otherwise only a terminal has it."""
    if environment.get("NO_COLOR"):
        return False
    forced = environment.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return is_terminal and environment.get("TERM") != "dumb"


def paint(text: str, style: str, *, colour: bool) -> str:
    """Return the text in a style of `STYLES`, or as it is."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and text else text


def printable(text: str) -> str:
    """Return text on one line that cannot steer a terminal: each such character becomes one sign that shows it.

    >>> printable("a\\x1b[31mb\\nc")
    'a␛[31mb␊c'
    """
    return _UNSAFE.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes; East Asian characters and emoji take two."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
