"""What the API server knows of each kind's fields, as far as it decides whether two values are the same.

`data/fields.json` is made from a real API server's OpenAPI and from its answers (`make schemas`). A node of it says of one
field: `fields`, `items` and `values` (of a map whose keys are the user's), each a node; `is`, the name of a node that
several share; `keys`, the ways to know an item, best first (`alert|record` is whichever it has); `order`, whether that of
the items has a meaning; `quantity`, `intOrString`, `default`, and `document` for a text that holds YAML or JSON.
"""

from __future__ import annotations

import enum
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gpuplan.compare.change import ABSENT, Plain

_FILE: Final = Path(__file__).parent / "data" / "fields.json"
_ANYTHING: Final[Mapping[str, Any]] = {}


class Order(enum.Enum):
    """Whether the order of a list has a meaning."""

    KEPT = "kept"
    FREE = "free"
    EXPANDED = "expanded"
    """Only where a value names one before it, as `$(NAME)` does among environment variables."""


KEYS_BY_NATURE: Final = (("name",), ("title",), ("key",), ("alert|record",), ("id",))
"""By what items are known in lists of which nothing is known."""


class Shape:
    """What is known of one field; nothing is known of fields that no schema has."""

    def __init__(self, node: Mapping[str, Any]) -> None:
        self._node = node
        self._fields: dict[str, Shape] = {}
        self.keys: tuple[tuple[str, ...], ...] = tuple(map(tuple, node.get("keys", KEYS_BY_NATURE)))
        """The ways to know an item of a list, best first."""
        self.order = Order(node.get("order", "kept"))
        """Whether the order of a list has a meaning."""
        self.is_quantity = bool(node.get("quantity"))
        """Whether values are equal by amount."""
        self.is_int_or_string = bool(node.get("intOrString"))
        """Whether 1 and "1" are the same."""
        self.holds_document = bool(node.get("document"))
        """Whether a text may be a document in YAML or JSON."""
        self.default: Plain = node.get("default", ABSENT)
        """What the API server takes where there is no value; ABSENT where it takes none, or none is known."""

    def field(self, key: str) -> Shape:
        """Return the shape of a value in a map."""
        found = self._fields.get(key)
        if found is None:
            inner = self._node.get("fields", _ANYTHING).get(key)
            found = self._fields[key] = _shape(self._node.get("values", _ANYTHING) if inner is None else inner)
        return found

    @functools.cached_property
    def items(self) -> Shape:
        """The shape of each item of a list."""
        return _shape(self._node.get("items", _ANYTHING))

    @functools.cached_property
    def defaulted(self) -> frozenset[str]:
        """The fields of a map that have a default."""
        return frozenset(key for key in self._node.get("fields", ()) if self.field(key).default is not ABSENT)


UNKNOWN: Final = Shape(_ANYTHING)


def shape_of(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> Shape:
    """Return the shape of two objects of one kind; what all kinds share where the kinds differ or are unknown."""
    kinds = {f"{one.get('apiVersion')}/{one.get('kind')}" for one in (old, new)}
    name = _facts()["kinds"].get(kinds.pop(), "") if len(kinds) == 1 else ""
    return _named(name or "Object")


def _shape(node: Mapping[str, Any]) -> Shape:
    shared = node.get("is")
    if shared is None:
        return Shape(node) if node else UNKNOWN
    return _named(shared) if len(node) == 1 else Shape({**_facts()["types"][shared], **node})


@functools.cache
def _named(name: str) -> Shape:
    return Shape(_facts()["types"][name])


@functools.cache
def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return facts
