"""The readings of days, added up exactly: what each team held where, under which cost centre and in which currency."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import NamedTuple

from gpuplan.cost.asking import CLUSTER, COST_CENTERS, COVERAGE, Reading, What
from gpuplan.cost.period import Span

SAMPLES_PER_HOUR = 60
"""The rules of cost are evaluated once a minute."""
EXACT = 60
"""Digits that sums carry: a year of samples of 17 digits fits."""
ZERO = Decimal("0.00")


class Key(NamedTuple):
    """Whose amount it is. `place` is a pool, or a tier for what is reserved and borrowed; all may be empty."""

    cluster: str
    currency: str
    place: str
    team: str
    cost_center: str
    what: What


class Amount(NamedTuple):
    """Hours of a card, and money. A pool without a price has hours alone."""

    hours: Decimal = ZERO
    money: Decimal = ZERO

    def plus(self, other: Amount) -> Amount:
        """Return the sum."""
        return Amount(self.hours + other.hours, self.money + other.money)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """How many of a day's minutes a cluster has samples for."""

    cluster: str
    day: datetime.date
    samples: int
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Everything that was read, not rounded yet."""

    amounts: Mapping[Key, Amount] = field(default_factory=dict)
    days: tuple[Span, ...] = ()
    samples: Mapping[tuple[str, Span], int] = field(default_factory=dict)
    """By cluster and day: the samples of the pool that has most, for a pool may be new."""
    unreadable: frozenset[str] = frozenset()
    """Names of series with values that are no numbers; they are left out."""

    def plus(self, other: Ledger) -> Ledger:
        """Return both together."""
        with localcontext(prec=EXACT):
            sums = dict(self.amounts)
            for key, amount in other.amounts.items():
                sums[key] = sums[key].plus(amount) if key in sums else amount
        return Ledger(
            amounts=sums,
            days=(*self.days, *other.days),
            samples={**self.samples, **other.samples},
            unreadable=self.unreadable | other.unreadable,
        )

    @property
    def covered(self) -> tuple[Covered, ...]:
        """Each cluster's days, those without any sample among them."""
        return tuple(
            Covered(
                cluster=cluster,
                day=day.start.date(),
                samples=self.samples.get((cluster, day), 0),
                minutes=day.minutes,
            )
            for cluster in sorted({cluster for cluster, _ in self.samples})
            for day in self.days
        )


def ledger(day: Span, readings: Iterable[Reading]) -> Ledger:
    """Add up the readings of a day."""
    every = tuple(readings)
    fit = [reading for reading in every if reading.total.is_finite()]
    sums: dict[Key, Amount] = {}
    with localcontext(prec=EXACT):
        for key, amount in _amounts(fit):
            sums[key] = sums[key].plus(amount) if key in sums else amount
        hours = {key: Amount(*(part / SAMPLES_PER_HOUR for part in amount)) for key, amount in sums.items()}
    return Ledger(
        amounts=hours,
        days=(day,),
        samples={(cluster, day): number for cluster, number in _samples(fit).items()},
        unreadable=frozenset(reading.measure.series.name for reading in every if not reading.total.is_finite()),
    )


def _samples(readings: Iterable[Reading]) -> dict[str, int]:
    """Return how many samples each cluster has: those of the pool that has most, for a pool may be new."""
    most: dict[str, int] = {}
    for reading in readings:
        if reading.measure == COVERAGE:
            cluster = reading.labels.get(CLUSTER, "")
            most[cluster] = max(most.get(cluster, 0), int(reading.total))
    return most


def _amounts(readings: Sequence[Reading]) -> Iterator[tuple[Key, Amount]]:
    """Yield what a day's readings add to the ledger."""
    centers = _cost_centers(readings)
    currencies = _currencies(readings)
    for reading in readings:
        if reading.measure.what is None:
            continue
        labels = reading.labels
        cluster, team = labels.get(CLUSTER, ""), labels.get("team", "")
        currency = labels.get("currency") or currencies.get(_place(reading), "")
        place = labels.get("pool") or labels.get("tier", "")
        key = Key(cluster, currency, place, team, centers.get((cluster, team), ""), reading.measure.what)
        is_money = reading.measure.unit == "money"
        yield key, Amount(money=reading.total) if is_money else Amount(hours=reading.total)


def _place(reading: Reading) -> tuple[str, str, str]:
    """Return cluster, pool and tier of a reading; a pool may be called as a tier is."""
    labels = reading.labels
    return labels.get(CLUSTER, ""), labels.get("pool", ""), labels.get("tier", "")


def _cost_centers(readings: Iterable[Reading]) -> dict[tuple[str, str], str]:
    """Return the cost centre of each team: the one it had for most of the day."""
    found = sorted((r for r in readings if r.measure == COST_CENTERS), key=lambda r: r.total)
    return {(r.labels.get(CLUSTER, ""), r.labels.get("team", "")): r.labels.get("cost_center", "") for r in found}


def _currencies(readings: Iterable[Reading]) -> dict[tuple[str, str, str], str]:
    """Return the currency of each pool and tier, for hours, which carry none: the one with most money that day."""
    found = sorted((r for r in readings if r.measure.unit == "money"), key=lambda r: r.total)
    return {_place(r): r.labels.get("currency", "") for r in found}
