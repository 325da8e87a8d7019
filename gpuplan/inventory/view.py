"""A value of an item with its path: whatever the file holds, looking further never fails.

What is missing, or is of another type than asked for, reads as nothing; that it is wrong is for the schema to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.quantity import Quantity

if TYPE_CHECKING:
    from gpuplan.inventory.items import Item


@lru_cache(1 << 14, typed=True)
def _quantity(written: str | float) -> Quantity | None:
    """Parse a quantity; a thousand jobs ask for the same few."""
    return Quantity.parse(written)


@dataclass(slots=True, unsafe_hash=True)
class View:
    """A value, or its absence, and where it stands. Not to be changed; `frozen` would double the cost of making one.

    >>> from gpuplan.inventory.items import Item
    >>> spec = Item.plain({"spec": {"groups": [{"name": "a"}, 7]}}).root["spec"]
    >>> [group["name"].text() for group in spec["groups"].items()]
    ['a', '']
    """

    item: Item
    path: KeyPath
    value: object

    def __getitem__(self, key: str) -> View:
        """Return what stands under a key; a value of None where nothing does."""
        value = self.value
        return View(self.item, (*self.path, key), value.get(key) if isinstance(value, dict) else None)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def walk(self, *keys: str) -> View:
        """Return what stands under keys inside each other."""
        here = self
        for key in keys:
            here = here[key]
        return here

    def items(self) -> Iterator[View]:
        """Yield the items of a list; nothing where this is none."""
        if isinstance(self.value, list | tuple):
            for index, value in enumerate(self.value):
                yield View(self.item, (*self.path, index), value)

    def entries(self) -> Iterator[tuple[str, View]]:
        """Yield the keys of a mapping with their values; nothing where this is none."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield str(key), View(self.item, (*self.path, key), value)

    @property
    def exists(self) -> bool:
        """Whether something other than null stands here."""
        return self.value is not None

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping."""
        return isinstance(self.value, dict)

    def text(self, otherwise: str = "") -> str:
        """Return a string as it is; anything else is none."""
        return self.value if isinstance(self.value, str) else otherwise

    def scalar(self, otherwise: str = "") -> str:
        """Return a string, number or boolean as the text that Kubernetes' tools show."""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return str(self.value) if isinstance(self.value, str | int | float) else otherwise

    def number(self) -> int | None:
        """Return a whole number, also one that is written with a fraction of zero; None for anything else."""
        value = self.value
        if isinstance(value, bool):
            return None
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value if isinstance(value, int) else None

    def flag(self, *, otherwise: bool = False) -> bool:
        """Return a boolean."""
        return self.value if isinstance(self.value, bool) else otherwise

    def quantity(self) -> Quantity | None:
        """Return a quantity as Kubernetes reads it: a string or a number."""
        value = self.value
        return _quantity(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None

    def strings(self) -> tuple[str, ...]:
        """Return the strings of a list."""
        return tuple(one.value for one in self.items() if isinstance(one.value, str))

    def texts(self) -> dict[str, str]:
        """Return a mapping of strings to strings; other values are left out."""
        return {key: one.value for key, one in self.entries() if isinstance(one.value, str)}

    @property
    def span(self) -> Span:
        """Where the value stands."""
        return self.item.places.at(self.path, key=False)

    @property
    def key_span(self) -> Span:
        """Where its key stands; of an item of a list, the item."""
        return self.item.places.at(self.path, key=True)

    @property
    def own_line(self) -> bool:
        """Whether its key has a line of its own."""
        return self.item.places.own_line(self.path)

    def inside(self, offset: int) -> Span:
        """Return where a character of this text stands."""
        return self.item.places.inside(self.path, offset)
