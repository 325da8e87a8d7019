"""The value of a document in the plain style of most manifests, ten times faster than by a whole YAML parser.

It reads block mappings and lists, words, single lines in quotes, literal blocks and short flow collections; and JSON. At
anything else, and wherever something could be wrong, it gives up, and `foreign` reads the document: places, anchors,
folded text and complaints are its matter. What is read here means the same there; the tests hold the two together.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import Any, Final

from gpuplan.source.quick_values import DEEPEST, GivenUpError, flow, json_value, plain
from gpuplan.source.quick_values import key as key_of

UNREAD: Final = object()
"""Returned for a document that the whole parser has to read."""
EMPTY: Final = object()
"""Returned for a document without content."""

_LINE: Final = re.compile(
    r"( *)(- +)?"
    r"""(?:([A-Za-z0-9_][A-Za-z0-9_./-]*|"[^"\\\n]*"|'[^'\n]*'):(?= |$))?"""
    r" *(?:([A-Za-z0-9_./][^ #]*(?<!:))(?= *$)|(.*[^ ]))? *"
)
"""Indentation, dash, key; and as value a word, or anything else."""
_MARKER: Final = re.compile(r"--- *|--- +#.*")
_DOUBLE: Final = re.compile(r'"([^"\\]*)"(?: +#.*)?')
_SINGLE: Final = re.compile(r"'((?:[^']|'')*)'(?: +#.*)?")
_BLOCK: Final = re.compile(r"\|([-+]?)(?: +#.*)?")
_SPECIAL: Final = frozenset("&*!>%@`?,]}#:")


def quick(text: str) -> object:
    r"""Return the value of one document, `EMPTY`, or `UNREAD`. The text holds no tabs and no line ends but LF, unless JSON.

    >>> quick("a:\n- b: 0777  # mode\n  c: {d: [x, 'y']}\n")
    {'a': [{'b': 511, 'c': {'d': ['x', 'y']}}]}
    """
    try:
        if text.lstrip()[:1] in ("{", "["):
            return json_value(text)
        return _Reader(text).read()
    except GivenUpError:
        return UNREAD


class _Kind(enum.Enum):
    BLANK = enum.auto()
    VALUE = enum.auto()
    NOTHING = enum.auto()
    """A key whose value, if it has one, stands below."""
    FLOW = enum.auto()
    BLOCK = enum.auto()


_BLANK, _VALUE, _NOTHING = _Kind.BLANK, _Kind.VALUE, _Kind.NOTHING
_Line = tuple[int, int, str | None, _Kind, Any]
"""Column of the text, width of its dash or 0, key, and the value: a scalar, or the text of a flow or a block's header."""


@lru_cache(1 << 16)
def _parsed(line: str) -> _Line:
    """Take a line to pieces. Manifests repeat most of their lines, so that a cache answers most of the time."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise GivenUpError
    indent, dash, key, word, other = match.groups()
    width = len(dash or "")
    if not width and key is None:
        if word is None and (other is None or other[0] == "#"):
            return 0, 0, None, _BLANK, None
        raise GivenUpError
    name = None if key is None else key_of(key)
    kind, value = _value(word, other)
    if name is None and kind is _NOTHING:
        raise GivenUpError
    return len(indent), width, name, kind, value


def _value(word: str | None, other: str | None) -> tuple[_Kind, object]:
    if word is not None:
        return _VALUE, plain(word)
    if other is None or other[0] == "#":
        return _NOTHING, None
    sign = other[0]
    if sign in "[{":
        return _Kind.FLOW, other
    if sign == "|":
        return _Kind.BLOCK, other
    if sign not in "\"'":
        return _VALUE, _words(other)
    quoted = (_DOUBLE if sign == '"' else _SINGLE).fullmatch(other)
    if quoted is None:
        raise GivenUpError
    return _VALUE, quoted[1] if sign == '"' else quoted[1].replace("''", "'")


def _words(rest: str) -> object:
    """Return what plain text of several words means."""
    if rest[0] in _SPECIAL or rest == "-" or rest.startswith("- "):
        raise GivenUpError
    words = rest.partition(" #")[0].rstrip(" ")
    if ": " in words or words[-1] == ":":
        raise GivenUpError
    return plain(words)


class _Reader:
    """Reads one document line by line, with the collections that are open in `above`."""

    __slots__ = ("above", "here", "indent", "key", "lines", "next", "root")

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.next = 0
        """Index of the next line."""
        self.root: object = EMPTY
        self.here: Any = None
        """The innermost collection, a dict or a list, that begins in the column `indent`."""
        self.indent = -1
        self.above: list[tuple[int, Any]] = []
        self.key: str | None = None
        """The last key of `here` while its value is awaited."""

    def read(self) -> object:
        """Return the value, or `EMPTY`."""
        lines, count = self.lines, len(self.lines)
        if lines[0].startswith("---"):
            self._marker(lines[0])
        while self.next < count:
            column, width, name, kind, value = _parsed(lines[self.next])
            self.next += 1
            if kind is _BLANK:
                continue
            if self.key is not None or column != self.indent or (self.here.__class__ is dict) is (width > 0):
                self._open(column, is_list=width > 0)
            if kind is not _VALUE and kind is not _NOTHING:
                value = flow(value) if kind is _Kind.FLOW else self._block(value, column + (width if name else 0))
            here = self.here
            if width:
                if name is None:
                    here.append(value)
                    continue
                inner: dict[str, object] = {}
                here.append(inner)
                self._push(column + width, inner)
                here = inner
            if name in here:
                raise GivenUpError
            here[name] = value
            if kind is _NOTHING:
                self.key = name
        return self.root

    def _marker(self, line: str) -> None:
        if not _MARKER.fullmatch(line):
            raise GivenUpError
        self.next = 1

    def _open(self, column: int, *, is_list: bool) -> None:
        """Make the collection that a line belongs to the innermost one."""
        if self.key is not None:
            key, self.key = self.key, None
            if column > self.indent or (is_list and column == self.indent):
                inner: Any = [] if is_list else {}
                self.here[key] = inner
                self._push(column, inner)
                return
        elif self.root is EMPTY:
            self.root = self.here = [] if is_list else {}
            self.indent = column
            return
        wanted = list if is_list else dict
        above = self.above
        while self.indent > column or (self.indent == column and self.here.__class__ is not wanted):
            if not above:
                raise GivenUpError
            self.indent, self.here = above.pop()
        if self.indent != column:
            raise GivenUpError

    def _push(self, column: int, inner: Any) -> None:
        self.above.append((self.indent, self.here))
        if len(self.above) > DEEPEST:
            raise GivenUpError
        self.indent, self.here = column, inner

    def _block(self, header: str, around: int) -> str:
        """Return a literal block: the lines below that are indented deeper than the collection around it."""
        head = _BLOCK.fullmatch(header)
        if head is None:
            raise GivenUpError
        lines, first = self.lines, self.next
        while first < len(lines) and not lines[first].strip(" "):
            first += 1
        if first == len(lines):
            raise GivenUpError
        indent = len(lines[first]) - len(lines[first].lstrip(" "))
        if indent <= around or any(len(line) > indent for line in lines[self.next : first]):
            raise GivenUpError
        margin, end = " " * indent, first
        while end < len(lines) and (lines[end].startswith(margin) or not lines[end].strip(" ")):
            end += 1
        if end == len(lines) and lines[-1]:
            raise GivenUpError  # where the last line has no end, what the block ends with is another matter
        written = "\n".join([line[indent:] for line in lines[self.next : end]])
        self.next = end
        if head[1] == "+":
            return written if end == len(lines) else written + "\n"
        return written.rstrip("\n") + ("" if head[1] else "\n")
