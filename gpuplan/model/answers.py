"""What a team says of itself for `gpuplan advise`: every answer is optional, and each has its place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TypeVar

from gpuplan.diagnostics import Span

T = TypeVar("T", bound="Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A price for an hour, exact, in a currency."""

    amount: Decimal
    currency: str


Answer = Decimal | str | bool | tuple[str, ...] | Rate
"""A number, a word, yes or no, words, or a rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers by dotted key (`people.platform`), and where each stands. The reader has checked the kind of each."""

    given: Mapping[str, Answer]
    places: Mapping[str, Span]

    def number(self, key: str) -> Decimal | None:
        """Return a number, None where the team does not say. Another kind of answer is a fault of ours: TypeError."""
        return self._of(key, Decimal)

    def word(self, key: str) -> str | None:
        """Return a word, None where the team does not say."""
        return self._of(key, str)

    def flag(self, key: str) -> bool | None:
        """Return yes or no, None where the team does not say."""
        return self._of(key, bool)

    def words(self, key: str) -> tuple[str, ...] | None:
        """Return words, None where the team does not say."""
        value = self._of(key, tuple)
        return None if value is None else tuple(value)

    def rate(self, key: str) -> Rate | None:
        """Return a rate, None where the team does not say."""
        return self._of(key, Rate)

    def _of(self, key: str, kind: type[T]) -> T | None:
        value = self.given.get(key)
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{key} is {value!r}")
        return value


NO_ANSWERS = Answers(given=MappingProxyType({}), places=MappingProxyType({}))
"""A team that says nothing."""
