"""A digest of resolved data: equal digests mean equal data, down to the order of maps and the spelling of versions.

Stricter than `==`, which some classes loosen on purpose (`1.36` equals `1.36.0`), and the same in every process: nothing in it
depends on hashes of strings or on identities. An unknown type is a fault of ours and raises, so that no part of the model can be
left out in silence.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import hashlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import Any

_SHORT = 96
"""Texts up to this many characters stand for themselves, longer ones by their hash."""

Token = Callable[[Any], str]


class Digester:
    """Makes digests. One that serves many values walks what they share only once, so those must not change meanwhile."""

    __slots__ = ("_by_type", "_left_out", "_seen")

    def __init__(self, left_out: frozenset[str] = frozenset()) -> None:
        """`left_out` names fields of dataclasses that no digest covers."""
        self._by_type: dict[type, Token] = {
            **dict.fromkeys((bool, float, int, str, type(None)), repr),
            **dict.fromkeys((Decimal, Fraction, datetime.date), repr),
            **dict.fromkeys((dict, MappingProxyType), self._dict),
            frozenset: lambda value: f"{{{','.join(sorted(map(self._token, value)))}}}",
            list: lambda value: f"[{','.join(map(self._token, value))}]",
            tuple: self._tuple,
        }
        self._left_out = left_out
        self._seen: dict[int, tuple[Any, str]] = {}

    def digest(self, value: object) -> str:
        """Return 32 hexadecimal digits."""
        return _hash(self._token(value))

    def _token(self, value: Any) -> str:
        kind = value.__class__
        token = self._by_type.get(kind)
        if token is None:
            token = self._by_type[kind] = self._learn(kind)
        return token(value)

    def _dict(self, value: Mapping[Any, Any]) -> str:
        token = self._token
        return f"<{','.join([f'{token(key)}:{token(below)}' for key, below in value.items()])}>"

    def _tuple(self, value: tuple[Any, ...]) -> str:
        return f"({','.join(map(self._token, value))})"

    def _learn(self, kind: type) -> Token:
        """Return how values of a class are written."""
        if dataclasses.is_dataclass(kind):
            return self._of_fields(kind.__qualname__, [field.name for field in dataclasses.fields(kind)])
        if issubclass(kind, enum.Enum):
            return lambda value: f"{kind.__qualname__}.{value.name}"
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return self._tuple
        raise TypeError(f"no digest of a {kind.__qualname__} is known")

    def _of_fields(self, name: str, names: list[str]) -> Token:
        """Return how a dataclass is written: by all its fields, whatever `repr` and `==` leave out."""
        names = [one for one in names if one not in self._left_out]
        read: Callable[[Any], tuple[Any, ...]] = attrgetter(*names, "__class__")  # of one name alone it gives no tuple
        seen, of_all = self._seen, self._tuple

        def token(value: Any) -> str:
            known = seen.get(id(value))
            if known is not None:
                return known[1]
            text = name + of_all(read(value)[:-1])
            if len(text) > _SHORT:
                text = _hash(text)
            seen[id(value)] = (value, text)  # holds the value: an id must not be given to another one
            return text

        return token


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
