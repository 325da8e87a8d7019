"""PromQL by its words: the names of metrics with their places, also in a text that does not parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)
    |(?P<number>(?:\d|\.\d)[\w.]*)
    |(?P<word>[A-Za-z_:][\w:]*)
    |(?P<sign>=~|!~|!=|==|>=|<=|.)""",
    re.VERBOSE | re.DOTALL,
)
_GROUPINGS: Final = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})
_WORDS: Final = frozenset({"and", "or", "unless", "atan2", "bool", "offset", "inf", "nan", "start", "end"}) | _GROUPINGS
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<="})
_BETWEEN: Final = frozenset({"and", "or", "unless", "atan2"})
_ESCAPES: Final = re.compile(r"\\(.)", re.DOTALL)


class Token(NamedTuple):
    """A word of PromQL: its kind (text, number, word or sign), as it is written, and its offset."""

    kind: str
    text: str
    at: int


class Seen(NamedTuple):
    """A metric's name, with its offset and its matchers: (label, operator, value, offset of the value)."""

    name: str
    at: int
    matchers: tuple[tuple[str, str, str, int], ...]


def tokens(text: str) -> list[Token]:
    """Return the words of an expression, without spaces and comments."""
    return [
        Token(one.lastgroup, one.group(), one.start())
        for one in _TOKEN.finditer(text)
        if one.lastgroup is not None and one.lastgroup != "skip"
    ]


def depth(text: str) -> int:
    """Return how deep a tree of an expression can be at most: brackets inside each other, and operators after each other.

    >>> depth("sum(rate(a[5m])) - -b")
    5
    """
    deepest = opened = operators = 0
    for token in tokens(text):
        opened += (token.text in _OPENING) - (token.text in _CLOSING)
        deepest = max(deepest, opened)
        operators += token.text in _OPERATORS or token.text.lower() in _BETWEEN
    return deepest + operators


def scan(text: str) -> tuple[Seen, ...]:
    """Return the metrics that a text names, in order.

    >>> [(one.name, one.at) for one in scan('sum by (node) (a{b="c"} and d) > bool (128')]
    [('a', 15), ('d', 28)]
    """
    return tuple(_Scanner(tokens(text)).seen())


class _Scanner:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = [*found, Token("end", "", -1)]
        self._here = 0

    def _next(self) -> Token:
        return self._tokens[min(self._here, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._next()
        self._here += 1
        return token

    def seen(self) -> Iterator[Seen]:
        while (token := self._take()).kind != "end":
            if token.text == "[":
                self._skip_to("]")
            elif token.text == "{":
                yield self._braces(None, token.at)
            elif token.kind == "word":
                yield from self._word(token)

    def _word(self, token: Token) -> Iterator[Seen]:
        word, after = token.text.lower(), self._next().text
        if word in _GROUPINGS:
            if after == "(":
                self._skip_to(")")
        elif word in _WORDS or after == "(" or after.lower() in ("by", "without"):
            pass
        elif after == "{":
            self._take()
            yield self._braces(token.text, token.at)
        else:
            yield Seen(token.text, token.at, ())

    def _skip_to(self, closing: str) -> None:
        while (token := self._take()).kind != "end" and token.text != closing:
            pass

    def _braces(self, name: str | None, at: int) -> Seen:
        """Read matchers up to the closing brace; the name may stand among them."""
        matchers: list[tuple[str, str, str, int]] = []
        while (token := self._take()).kind != "end" and token.text != "}":
            if token.kind not in ("word", "text"):
                continue
            label, sign = unquoted(token.text), self._next().text
            if sign in ("=", "!=", "=~", "!~"):
                self._take()
                value = self._take()
                if value.kind == "text":
                    matchers.append((label, sign, unquoted(value.text), value.at))
                    name, at = (matchers[-1][2], value.at + 1) if (label, sign) == ("__name__", "=") else (name, at)
            elif token.kind == "text" and name is None:
                name, at = label, token.at + 1
        return Seen(name or "", at, tuple(matchers))


def unquoted(text: str) -> str:
    """Return what stands between quotes; escapes of single characters are undone."""
    if text[:1] == "`":
        return text[1:-1]
    return _ESCAPES.sub(r"\1", text[1:-1]) if text[:1] in ("'", '"') else text
