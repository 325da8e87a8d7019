"""The form of a value by which it is compared: equal forms mean the same to the API server.

Forms are nested tuples and frozen sets, with the type of each value in front, so that they can be counted and looked up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from gpuplan.compare.change import ABSENT, Item, Plain
from gpuplan.compare.shape import Order, Shape
from gpuplan.quantity import Quantity

Form: TypeAlias = tuple[object, ...]
NOTHING: Final[Form] = ("nothing",)
_EXPANSION: Final = "$("


def form(value: Plain, shape: Shape) -> Form:
    """Return the form of a value. Null and ABSENT are the default of the field, or nothing."""
    if value is None or value is ABSENT:
        return NOTHING if shape.default in (ABSENT, None) else form(shape.default, shape)
    if isinstance(value, Mapping):
        return ("map", frozenset(_entries(value, shape)))
    if isinstance(value, list | tuple):
        return _list(value, shape)
    return _scalar(value, shape)


def same(old: Plain, new: Plain, shape: Shape) -> bool:
    """Tell whether two values mean the same."""
    return form(old, shape) == form(new, shape)


def _entries(value: Mapping[str, Plain], shape: Shape) -> Iterable[tuple[str, Form]]:
    for key in value.keys() | shape.defaulted:
        inner = form(value.get(key, ABSENT), shape.field(key))
        if inner is not NOTHING:
            yield key, inner


def _list(value: Sequence[Plain], shape: Shape) -> Form:
    items = [form(item, shape.items) for item in value]
    return ("list", *items) if order_matters(value, shape) else ("items", frozenset(items))


def _scalar(value: Plain, shape: Shape) -> Form:
    if isinstance(value, bool):
        return ("boolean", value)
    if shape.is_quantity and isinstance(value, str | int | float):
        amount = Quantity.parse(value)
        if amount is not None:
            return ("quantity", amount.nanos)
    if shape.is_int_or_string and isinstance(value, int):
        return ("text", str(value))
    if isinstance(value, float) and math.isnan(value):
        return ("number", "nan")  # which equals itself here
    if isinstance(value, int | float):
        return ("number", value)
    return ("text", value)


def order_matters(value: Sequence[Plain], shape: Shape) -> bool:
    """Tell whether the order of this list has a meaning."""
    if shape.order is Order.EXPANDED:
        return any(isinstance(item, Mapping) and _EXPANSION in str(item.get("value", "")) for item in value)
    return shape.order is Order.KEPT


def identities(value: Sequence[Plain], way: Sequence[str], shape: Shape) -> tuple[Item, ...] | None:
    """Return by what each item of a list is known; None where that does not tell them apart."""
    found = [_identity(item, way, shape.items) for item in value]
    items = tuple(item for item in found if item is not None)
    return items if len(items) == len(found) == len(set(items)) else None


def _identity(item: Plain, way: Sequence[str], shape: Shape) -> Item | None:
    if not isinstance(item, Mapping):
        return None
    keys: list[tuple[str, str | int]] = []
    for choice in way:
        names = choice.removesuffix("?").split("|")
        given = [(name, value) for name in names if (value := _given(item, name, shape)) is not None]
        if len(given) > 1 or not (given or choice.endswith("?")):
            return None
        keys += given
    return Item(tuple(keys)) if keys else None


def _given(item: Mapping[str, Plain], name: str, shape: Shape) -> str | int | None:
    """Return the value of a key of an item as a label, with the default where it has none."""
    value = item.get(name)
    if value is None:
        value = shape.field(name).default
    if value is None or value is ABSENT:
        return None
    if isinstance(value, str) or type(value) is int:
        return value
    return label(value)


def label(value: Plain) -> str:
    """Return a value as a short text; the words of a list are joined."""
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return " ".join(sorted(value))
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
