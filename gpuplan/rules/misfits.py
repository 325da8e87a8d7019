"""Values that their reader does not take: of another type than its key list says, or none of the words that it knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.catalog.keys import ITEM, Key, KeyList
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity
from gpuplan.suggest import meant
from gpuplan.words import in_a_row

Texts = tuple[type, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A value that its reader refuses, and what it would take."""

    view: View
    path: str
    wanted: str
    words: tuple[str, ...] = ()
    """Where it takes words alone: which."""

    @property
    def fix(self) -> str:
        """What to write: the word that was meant, where one is near."""
        value = self.view.value
        return meant(value if isinstance(value, str) else "", self.words, f"Write {self.wanted}.")

    @property
    def written(self) -> str:
        """The value as a message shows it."""
        value = self.view.value
        if isinstance(value, dict | list | tuple):
            return "a mapping" if isinstance(value, dict) else "a list"
        return f'"{value}"' if isinstance(value, str) else self.view.scalar()


def misfits(view: View, keys: KeyList, *, converts: bool) -> Iterator[Misfit]:
    """Yield the values that a list's reader refuses; `converts` tells whether it makes texts of numbers and booleans."""
    yield from _misfits(view, keys.root, "", (str, int, float) if converts else (str,))


def wrong_words(view: View, keys: KeyList) -> Iterator[Misfit]:
    """Yield the values that are none of the words that a reader takes, whatever their types."""
    for one in misfits(view, keys, converts=True):
        if isinstance(one.view.value, str) and one.wanted.startswith("`"):
            yield one


def _misfits(view: View, key: Key, path: str, texts: Texts) -> Iterator[Misfit]:
    if not view.exists or is_placeholder(view.value):
        return
    if not _takes(_type(key), view.value, texts):
        yield Misfit(view=view, path=path, wanted=_NAMES[_type(key)])
    elif key.words:
        yield from _words(view, key, path)
    elif ITEM in key.children:
        for one in view.items():
            yield from _misfits(one, key.children[ITEM], path, texts)
    else:
        for name, inner in view.entries():
            child = key.child(name)
            if child is not None:
                yield from _misfits(inner, child, f"{path}.{name}" if path else name, texts)


def _words(view: View, key: Key, path: str) -> Iterator[Misfit]:
    for one in view.items() if isinstance(view.value, list | tuple) else (view,):
        if isinstance(one.value, str) and one.value and one.value not in key.words:
            wanted = in_a_row([f"`{word}`" for word in key.words], "or")
            yield Misfit(view=one, path=path, wanted=wanted, words=tuple(key.words))


def _type(key: Key) -> str:
    if ITEM in key.children:
        return "list"
    return "map" if key.children else key.type


def _takes(kind: str, value: object, texts: Texts) -> bool:
    flag = isinstance(value, bool)
    if kind == "flag":
        return flag
    if kind == "whole":
        return not flag and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    if kind == "number":
        return not flag and isinstance(value, int | float)
    if kind == "duration":
        return isinstance(value, str) and _DURATION.fullmatch(value) is not None
    if kind == "amount":
        return not flag and isinstance(value, int | str)
    if kind == "quantity":
        return not flag and isinstance(value, str | int | float) and Quantity.parse(value) is not None
    return isinstance(value, texts if kind == "text" else _SHAPES.get(kind, object))


_DURATION = re.compile(r"[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
"""As Go reads one: numbers, each with its unit."""
_SHAPES: dict[str, type | Texts] = {"list": (list, tuple), "map": dict, "texts": (str, int, float, list, tuple)}
_NAMES = {
    "amount": "a whole number or a text",
    "duration": "a duration with its unit, such as `10m`",
    "flag": "true or false, without quotes",
    "list": "a list",
    "map": "a mapping",
    "number": "a number, without quotes",
    "quantity": "a quantity, such as `500m` or `16Gi`",
    "text": "a text",
    "texts": "a text or a list of texts",
    "whole": "a whole number, without quotes",
}
