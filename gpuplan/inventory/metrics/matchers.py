r"""Alertmanager's matchers, of routes, inhibitions and silences: the condition on one label, in all the ways to write it.

Alertmanager before 0.27 has one parser; later ones have a second, which also takes any name in quotes, and where the two
disagree the first one counts. So here: what the first can read is what it reads, and the second has the rest. Facts:
Alertmanager 0.34 (pkg/labels, matcher/parse, matcher/compat), tried against amtool.

>>> [str(one) for one in read('{team="a b", severity=~"warn.*"}')]
['team="a b"', 'severity=~"warn.*"']
>>> read("team")
'team: it is no matcher'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_BLANK: Final = r"[\t\n\f\r ]*"
_CLASSIC: Final = re.compile(rf"{_BLANK}([a-zA-Z_:][a-zA-Z0-9_:]*){_BLANK}(=~|=|!=|!~){_BLANK}(.*?){_BLANK}", re.DOTALL)
_TOKEN: Final = re.compile(r"""\s*(=~|!=|!~|[={},]|"(?:\\.|[^"\\])*"|[^\s{}!=~,\\"'`]+)""", re.DOTALL)
_OPERATORS: Final = frozenset({"=", "!=", "=~", "!~"})
_PUNCTUATION: Final = _OPERATORS | {"{", "}", ","}
_ESCAPE: Final = re.compile(r"""\\([abfnrtv\\"]|x[0-9a-fA-F]{2}|[0-7]{3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|([^\\\n])""")
_SIMPLE: Final = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34}
_OTHERWISE: Final = re.compile(r"\[:|\{,|\\Z|\(\?[=!<#(]|\(\?P=")
"""What Python's regular expressions take for something else than Go's, or Go's do not take."""


@dataclass(frozen=True, slots=True, order=True)
class Matcher:
    """A condition on a label; `op` is `=`, `!=`, `=~` or `!~`. A label that is not there is an empty one."""

    label: str
    op: str
    value: str

    def __str__(self) -> str:
        return f'{self.label}{self.op}"{self.value}"'

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels meet the condition; expressions match the whole value."""
        has = labels.get(self.label, "")
        if self.op in ("=", "!="):
            return (has == self.value) == (self.op == "=")
        made = expression(self.value)
        return made is not None and bool(made.fullmatch(has)) == (self.op == "=~")

    @property
    def readable(self) -> bool:
        """Whether its expression, if it has one, means here what it means to Alertmanager."""
        return self.op in ("=", "!=") or expression(self.value) is not None


Matchers = tuple[Matcher, ...]


def all_match(matchers: Iterable[Matcher], labels: Mapping[str, str]) -> bool:
    """Tell whether labels meet every condition."""
    return all(one.matches(labels) for one in matchers)


@lru_cache(maxsize=1024)
def expression(text: str) -> re.Pattern[str] | None:
    """Return a regular expression of Go's as one of Python's; None where they may differ."""
    if _OTHERWISE.search(text):
        return None
    try:
        return re.compile(text, re.ASCII)
    except re.error:
        return None


def read(text: str) -> Matchers | str:
    """Read the matchers of one text, or return why there are none."""
    made = _classic(text)
    if made is None:
        made = _quoted(text)
    if made is None:
        return f"{text}: it is no matcher"
    odd = [one for one in made if not one.readable]
    return f"{text}: its expression is not understood here" if odd else made


def _classic(text: str) -> Matchers | None:
    parts = list(_parts(text.removeprefix("{").removesuffix("}")))
    made = tuple(map(_single, parts))
    found = tuple(one for one in made if one is not None)
    return found if len(found) == len(made) else None


def _parts(text: str) -> Iterator[str]:
    """Yield what commas outside of quotes part; one at the end is nothing."""
    inside = escaped = False
    begun = 0
    for at, sign in enumerate(text):
        if sign == "," and not inside:
            yield text[begun:at]
            begun = at + 1
            continue  # it ends no escape
        if sign == '"' and not escaped:
            inside = not inside
        escaped = sign == "\\" and not escaped
    if text[begun:].strip():
        yield text[begun:].strip()


def _single(text: str) -> Matcher | None:
    found = _CLASSIC.fullmatch(text)
    if found is None:
        return None
    label, op, written = found.groups()
    quoted = written.startswith('"')
    value = _unescaped(written.removeprefix('"'), quoted=quoted)
    return None if value is None else Matcher(label, op, value)


def _unescaped(raw: str, *, quoted: bool) -> str | None:
    """Return a value of the first parser: a backslash before another sign than `n`, `"` and itself stands for itself."""
    value, at, closed = "", 0, not quoted
    while at < len(raw):
        sign = raw[at]
        if sign == "\\" and at < len(raw) - 1:
            following = raw[at + 1]
            value += {"n": "\n", '"': '"', "\\": "\\"}.get(following, sign + following)
            at += 1
        elif sign == '"':
            if closed or at < len(raw) - 1:
                return None
            closed = True
        else:
            value += sign
        at += 1
    return value if closed else None


def _quoted(text: str) -> Matchers | None:
    """Read by the second parser."""
    tokens = _tokens(text)
    if tokens is None:
        return None
    opened = tokens[:1] == ["{"]
    if opened != (tokens[-1:] == ["}"]):
        return None
    inner = tokens[1:-1] if opened else tokens
    if inner[-1:] == [","]:
        inner = inner[:-1]
        if not inner:
            return None
    made = tuple(_triple(inner[at : at + 4]) for at in range(0, len(inner), 4))
    found = tuple(one for one in made if one is not None)
    return found if len(found) == len(made) and len(inner) % 4 in (0, 3) else None


def _tokens(text: str) -> list[str] | None:
    found: list[str] = []
    at = 0
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        found.append(token.group(1))
        at = token.end()
    return found


def _triple(tokens: list[str]) -> Matcher | None:
    """Return the matcher of a name, an operator and a value, and a comma where another one follows."""
    if len(tokens) < 3 or tokens[1] not in _OPERATORS or tokens[3:] not in ([], [","]):
        return None
    name, value = _word(tokens[0]), _word(tokens[2])
    return None if name is None or value is None else Matcher(name, tokens[1], value)


def _word(token: str) -> str | None:
    """Return a name or value; one in quotes is unquoted by Go's rules. None where it is neither."""
    if not token.startswith('"'):
        return None if token in _PUNCTUATION else token
    inner, at, made = token[1:-1], 0, bytearray()
    while at < len(inner):
        found = _ESCAPE.match(inner, at)
        if found is None:
            return None
        made += _bytes(found.group(1)) if found.group(1) else found.group(2).encode()
        at = found.end()
    try:
        return made.decode()
    except UnicodeDecodeError:
        return None


def _bytes(escape: str) -> bytes:
    if escape in _SIMPLE:
        return bytes([_SIMPLE[escape]])
    if escape[0] in "uU":
        return chr(int(escape[1:], 16)).encode(errors="replace")
    return bytes([int(escape[1:], 16) if escape[0] == "x" else int(escape, 8) & 0xFF])
