"""A bill: amounts rounded once, so that every line, every view and every total adds up to the cent.

For each pool the price of all its cards is rounded to a hundredth, and its parts (teams, no team, nobody) share that sum:
each is rounded down, and the hundredths that are left go to those that lost most. Every view is a sum of these parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

from gpuplan.cost.asking import What
from gpuplan.cost.ledger import EXACT, ZERO, Amount, Covered, Key, Ledger

CENT = Decimal("0.01")
"""What amounts are rounded to, hours too."""
NOISE = Decimal("0.000001")
"""What sums of a server's binary numbers may be off, and below what amounts are not told apart."""
LARGE = 1000
"""Units of money beyond which noise grows with the amount."""
PARTS = (What.ALLOCATED, What.NO_TEAM, What.UNALLOCATED)
"""What a pool's price is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Whether a pool's parts make the price of its cards, as they were recorded, before anything is rounded."""

    cluster: str
    pool: str
    currency: str
    parts: Decimal
    capacity: Decimal

    @property
    def difference(self) -> Decimal:
        """What the parts are above the price of the cards; noise of binary numbers is none."""
        off = self.parts - self.capacity
        return ZERO if abs(off) <= NOISE * max(Decimal(1), abs(self.capacity) / LARGE) else off


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """All amounts, rounded, and what there is to say about them."""

    amounts: Mapping[Key, Amount]
    checks: tuple[Check, ...]
    covered: tuple[Covered, ...]
    unreadable: tuple[str, ...]

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, sorted; an empty one, for pools without a price, comes last."""
        return tuple(sorted({key.currency for key in self.amounts}, key=lambda name: (not name, name)))


def bill(read: Ledger) -> Bill:
    """Round a ledger."""
    with localcontext(prec=EXACT):
        amounts = dict(read.amounts)
        checks: list[Check] = []
        for place in sorted({key[:3] for key in read.amounts if key.what in (What.CAPACITY, *PARTS)}):
            capacity = Key(*place, "", "", What.CAPACITY)
            whole = read.amounts.get(capacity, Amount())
            parts = _parts(read.amounts, capacity, whole)
            check = _check(capacity, whole, parts)
            checks.append(check)
            amounts |= _settled(capacity, whole, parts, exactly=not check.difference)
        rounded = {key: Amount(*map(to_cent, amount)) for key, amount in amounts.items()}
        return Bill(
            amounts={key: _within_allocated(rounded, key) for key in rounded},
            checks=tuple(checks),
            covered=read.covered,
            unreadable=tuple(sorted(read.unreadable)),
        )


def _parts(amounts: Mapping[Key, Amount], capacity: Key, whole: Amount) -> dict[Key, Amount]:
    """Return what a pool's price is made of. The hours of nobody are what is left: they are not recorded."""
    place = capacity[:3]
    found = {key: amount for key, amount in amounts.items() if key[:3] == place and key.what in PARTS}
    nobody = capacity._replace(what=What.UNALLOCATED)
    held = sum((amount.hours for key, amount in found.items() if key != nobody), start=ZERO)
    found[nobody] = Amount(hours=whole.hours - held, money=found.get(nobody, Amount()).money)
    return {key: found[key] for key in sorted(found, key=lambda key: (key[:5], key.what.value))}


def _check(capacity: Key, whole: Amount, parts: Mapping[Key, Amount]) -> Check:
    return Check(
        cluster=capacity.cluster,
        pool=capacity.place,
        currency=capacity.currency,
        parts=sum((part.money for part in parts.values()), start=ZERO),
        capacity=whole.money,
    )


def _settled(capacity: Key, whole: Amount, parts: Mapping[Key, Amount], *, exactly: bool) -> dict[Key, Amount]:
    """Return a pool's amounts in hundredths. Parts that do not make the price are rounded each for itself."""
    hours = shared([part.hours for part in parts.values()], to_cent(whole.hours))
    money = [to_cent(part.money) for part in parts.values()]
    if exactly:
        money = shared([part.money for part in parts.values()], to_cent(whole.money))
    made = {key: Amount(*pair) for key, pair in zip(parts, zip(hours, money, strict=True), strict=True)}
    return {capacity: Amount(*map(to_cent, whole)), **made}


def shared(parts: Sequence[Decimal], total: Decimal) -> list[Decimal]:
    """Round parts to hundredths that add up to a total in hundredths, which is their sum but for less than one each.

    >>> shared([Decimal(10) / 3] * 3, Decimal(10))
    [Decimal('3.34'), Decimal('3.33'), Decimal('3.33')]
    """
    parts = [part.quantize(NOISE) for part in parts]
    low = [part.quantize(CENT, rounding=ROUND_FLOOR) for part in parts]
    left = int((total - sum(low, start=ZERO)) / CENT)
    by_loss = sorted(range(len(parts)), key=lambda index: (low[index] - parts[index], index))
    step = CENT if left > 0 else -CENT
    for turn in range(abs(left)):
        low[by_loss[turn % len(by_loss)]] += step
    return low


def to_cent(exact: Decimal) -> Decimal:
    """Round to a hundredth. Noise goes first: servers add up in different orders, and a half must not hang on that."""
    return exact.quantize(NOISE).quantize(CENT, rounding=ROUND_HALF_EVEN) + 0  # no -0.00


def _within_allocated(rounded: Mapping[Key, Amount], key: Key) -> Amount:
    """Return an amount; what is used or idle never gets above what it is a part of by being rounded the other way."""
    amount = rounded[key]
    whole = rounded.get(key._replace(what=What.ALLOCATED))
    if key.what not in (What.USED, What.IDLE) or whole is None:
        return amount
    return Amount(*(limit if ZERO < part - limit <= CENT else part for part, limit in zip(amount, whole, strict=True)))


def total(amounts: Mapping[Key, Amount], chosen: Callable[[Key], bool]) -> Amount:
    """Return the sum of the amounts whose key is chosen."""
    return added(amount for key, amount in amounts.items() if chosen(key))


def added(amounts: Iterable[Amount]) -> Amount:
    """Return the sum of amounts."""
    made = Amount()
    for amount in amounts:
        made = made.plus(amount)
    return made
