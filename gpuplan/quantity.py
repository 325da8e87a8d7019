"""Kubernetes quantities, exact, and printed as the API server prints them.

The server rewrites what it is sent (`12000m` becomes `12`, `98304Mi` becomes `96Gi`), and a field that reads back
different is out of sync for ever. So everything we write goes through here. Source: `CanonicalizeBytes` in
k8s.io/apimachinery, `pkg/api/resource/quantity.go`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

_NANO = 10**9
_LARGEST = (2**63 - 1) * _NANO
_LONGEST_TEXT = 64
_TEXT = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]{1,2}))?")
"""Two digits of exponent reach past every quantity, and keep `1e999999999` from being computed."""

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY_SUFFIX = {power: suffix for suffix, power in _BINARY.items()}


_MOST_COUNTED = 10**7 - 1


def whole_number(text: str, most: int = _MOST_COUNTED) -> int | None:
    """Return the number that digits alone say, as labels and annotations hold one; None for anything else, and above `most`.

    >>> [whole_number(text) for text in ("8", "08", "", "-1", "8.0", "9" * 5000)]
    [8, 8, None, None, None, None]
    """
    short = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if short and int(text) <= most else None


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An amount in billionths of its unit, the finest step that Kubernetes knows. Equal amounts are equal.

    `binary` asks for the suffixes Ki, Mi, Gi… where they fit, as memory has them.

    >>> str(Quantity.parse("1536Gi") * 2)
    '3Ti'
    >>> str(Quantity.parse("0.5"))
    '500m'
    """

    nanos: int
    binary: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, amount: int | Fraction, *, binary: bool = False) -> Quantity:
        """Make a quantity of so many units. A finer part than a billionth is rounded up, as the server does."""
        return cls(_away_from_zero(Fraction(amount) * _NANO), binary)

    @classmethod
    def parse(cls, text: str | float) -> Quantity | None:
        """Read a quantity as YAML holds it, a string or a number; None if it is none, or beyond 2⁶³-1.

        The exponent form (`1e3`) is read as a decimal amount and printed as one (`1k`).
        """
        if isinstance(text, int) and abs(text) > _LARGEST:
            return None
        written = str(text)
        match = _TEXT.fullmatch(written)
        if match is None or len(written) > _LONGEST_TEXT:
            return None
        sign, digits, suffix, exponent = match.groups(default="")
        power = int(exponent or _DECIMAL.get(suffix, 0))
        scale = Fraction(2 ** _BINARY[suffix]) if suffix in _BINARY else Fraction(10) ** power
        nanos = _away_from_zero(Fraction(digits) * scale * _NANO)
        if nanos > _LARGEST:
            return None
        return cls(-nanos if sign == "-" else nanos, suffix in _BINARY)

    @property
    def value(self) -> int:
        """The amount in whole units, rounded up: how Kueue counts everything but CPU."""
        return -(-self.nanos // _NANO)

    @property
    def whole(self) -> int:
        """The amount in whole units, rounded down: the pieces that are there."""
        return self.nanos // _NANO

    def __add__(self, other: Quantity) -> Quantity:
        """Add; the first one that is not zero decides the suffixes, as in Kubernetes."""
        return Quantity(self.nanos + other.nanos, (self if self.nanos else other).binary)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.nanos - other.nanos, (self if self.nanos else other).binary)

    def __mul__(self, times: int) -> Quantity:
        return Quantity(self.nanos * times, self.binary)

    __rmul__ = __mul__

    def __str__(self) -> str:
        """Return the canonical form: the largest suffix without a fraction.

        A binary amount that is no multiple of 1024 takes the decimal form (`812.5Ki` is `832k`): printed plain, as
        the server does at first, it would come back as that from the next write.
        """
        if not self.nanos:
            return "0"
        units, rest = divmod(self.nanos, _NANO)
        if self.binary and not rest and units % 1024 == 0:
            number, power = _shed(units, 1024, 10, max(_BINARY_SUFFIX))
            return f"{number}{_BINARY_SUFFIX[power]}"
        number, power = _shed(self.nanos, 1000, 3, max(_DECIMAL_SUFFIX) + 9)
        return f"{number}{_DECIMAL_SUFFIX[power - 9]}"


def canonical(text: str | float) -> str | None:
    """Return a quantity as the API server would print it, or None if it is none.

    >>> canonical("98304Mi"), canonical("12000m"), canonical(0.5), canonical("1.8Ti"), canonical("lots")
    ('96Gi', '12', '500m', '1979120929996800m', None)
    """
    quantity = Quantity.parse(text)
    return None if quantity is None else str(quantity)


def _shed(number: int, factor: int, step: int, largest: int) -> tuple[int, int]:
    """Divide by `factor` while nothing is lost; return what is left, and the power reached in steps of `step`."""
    power = 0
    while number % factor == 0 and power < largest:
        number //= factor
        power += step
    return number, power


def _away_from_zero(amount: Fraction) -> int:
    whole = -(-abs(amount.numerator) // amount.denominator)
    return -whole if amount < 0 else whole
