"""How keys and values are written: quotes only where somebody could otherwise take the text for something else."""

from __future__ import annotations

import json
import re
from typing import Final

from gpuplan.source.layout import Leaf

_SURELY_TEXT: Final = re.compile(r"[A-Za-z_/](?:[A-Za-z0-9_./-]| (?=[A-Za-z0-9_./]))*", re.ASCII)
"""No reader of YAML, old or new, takes this for anything but text, given that it is none of `_WORDS`.

What begins with a digit keeps its quotes, such as `"1.36"` or `"08:00"`; so does what holds a sign that means something."""
_WORDS: Final = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n"])
"""What readers of YAML 1.1 or 1.2 take for null or a truth value, in any case."""
_SIMPLE_QUOTES: Final = re.compile(r"'[^'\"\\\n]*'")
"""Text in single quotes that reads the same in double ones."""
_INDICATOR: Final = re.compile(r"[0-9]")


def key_text(leaf: Leaf) -> str:
    """Return a key as it is written: always on one line, as a key must be."""
    if "\n" in leaf.raw:
        return leaf.text if _is_surely_text(leaf) else json.dumps(leaf.text, ensure_ascii=False)
    written = _unquoted(leaf)
    return written + " " if leaf.style == "*" else written


def value_lines(leaf: Leaf, indent: int) -> list[str]:
    """Return a value line by line; `indent` is the column of the key or dash that it follows."""
    if leaf.style in ("|", ">"):
        return _block_scalar(leaf, indent)
    first, *rest = _unquoted(leaf).split("\n")
    return [first, *(" " * (indent + 2) + line.lstrip(" \t") if line.strip() else "" for line in rest)]


def one_line(leaf: Leaf) -> str:
    """Return a value between brackets."""
    return _unquoted(leaf) or "null"


def _unquoted(leaf: Leaf) -> str:
    """Return a scalar without quotes it does not need, in double quotes where it needs some and single ones do no more."""
    raw = leaf.raw
    if leaf.style not in ("'", '"') or not raw.startswith(("'", '"')):  # with a tag or an anchor it stays as it is
        return raw
    if _is_surely_text(leaf):
        return leaf.text
    return f'"{leaf.text}"' if _SIMPLE_QUOTES.fullmatch(raw) and leaf.text.isprintable() else raw


def _is_surely_text(leaf: Leaf) -> bool:
    return _SURELY_TEXT.fullmatch(leaf.text) is not None and leaf.text.casefold() not in _WORDS


def _block_scalar(leaf: Leaf, indent: int) -> list[str]:
    """Return a block scalar with its content two columns behind its key, or as far as its sign says."""
    head, *body = leaf.raw.split("\n")
    if body and not body[-1].strip(" "):
        body.pop()
    sign = re.search(r"[|>][-+0-9]*", head)
    stated = _INDICATOR.search(sign.group()) if sign else None
    keeps = sign is not None and "+" in sign.group()
    while body and not keeps and not body[-1].strip(" "):
        body.pop()
    old = _content_column(leaf, body)
    new = " " * (indent + (int(stated.group()) if stated else 2))
    return [head.rstrip(), *(new + line[old:] if len(line) > old else "" for line in body)]


def _content_column(leaf: Leaf, body: list[str]) -> int:
    """Return how many spaces before each line are no content: content may begin with some of its own."""
    written, meant = (next((line for line in lines if line.strip(" ")), "") for lines in (body, leaf.text.split("\n")))
    return (len(written) - len(written.lstrip(" "))) - (len(meant) - len(meant.lstrip(" ")))
