"""People against idle cards, in numbers that a team can put its own in place of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal

from gpuplan.advise import hours
from gpuplan.advise.case import Case, Way
from gpuplan.advise.settings import Settings
from gpuplan.model.answers import Answers, Rate
from gpuplan.model.fleet import Fleet

HOURS_PER_MONTH: Final = 730
"""Hours in which a card costs money: 8,760 in a year by 12."""
When = Literal["now", "in a year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Hours of people in a month on one way, by what they are for, and what they cost where a rate is given."""

    way: Way
    when: When
    nodes: int
    base: Fraction
    upgrades: Fraction
    faults: Fraction
    money: Fraction | None

    @property
    def hours(self) -> Fraction:
        """All hours."""
        return self.base + self.upgrades + self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class TierCards:
    """Cards of a tier, and their price for an hour."""

    tier: str
    cards: int
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Cards with prices in one currency. `percent` is the idle part, None where the team does not say."""

    currency: str
    tiers: tuple[TierCards, ...]
    percent: Decimal | None

    @property
    def a_percent(self) -> Fraction:
        """What one percent of these cards costs in a month."""
        return (
            sum((Fraction(tier.price) * tier.cards for tier in self.tiers), start=Fraction(0)) * HOURS_PER_MONTH / 100
        )

    @property
    def money(self) -> Fraction | None:
        """What idle cards cost in a month."""
        return None if self.percent is None else self.a_percent * Fraction(self.percent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Both sides, and where they meet."""

    work: tuple[Work, ...]
    rate: Rate | None
    idle: tuple[Idle, ...]
    unpriced: tuple[str, ...]
    """Tiers without `costPerCardHour`, whose cards are left out."""
    break_even: Fraction | None
    """Nodes from which on the operator costs fewer hours; None where it never does."""

    def difference(self, when: When) -> Fraction | None:
        """Return the money of a month by which scripts cost more than the operator; below 0 where they cost less."""
        found = {one.way: one.money for one in self.work if one.when == when}
        manual, operator = found.get("manual"), found.get("operator")
        return None if manual is None or operator is None else manual - operator

    def as_idle_percent(self, when: When) -> Fraction | None:
        """Return how many percent of the cards would cost as much as that difference, where one currency has both."""
        difference = self.difference(when)
        per = {one.currency: one.a_percent for one in self.idle}.get(self.rate.currency if self.rate else "")
        return None if difference is None or not per else abs(difference) / per


def costs(fleet: Fleet, answers: Answers, settings: Settings, cases: Sequence[Case]) -> Costs:
    """Count. All cases hold the same numbers of nodes; without one there is no work to compare."""
    rate = answers.rate("hourlyRate")
    return Costs(
        work=tuple(_work(cases[0], settings, rate)) if cases else (),
        rate=rate,
        idle=tuple(_idle(fleet, answers)),
        unpriced=tuple(_unpriced(fleet)),
        break_even=_break_even(settings),
    )


def _work(case: Case, settings: Settings, rate: Rate | None) -> Iterator[Work]:
    whens: tuple[tuple[When, int, int], ...] = (
        ("now", case.nodes, case.driver_nodes),
        ("in a year", case.horizon, case.driver_horizon),
    )
    for when, nodes, driven in whens[: 2 if case.growth else 1]:
        ways: tuple[Way, ...] = ("manual", "operator")
        for way in ways:
            total = hours.upkeep(way, nodes, driven, settings)
            yield Work(
                way=way,
                when=when,
                nodes=nodes,
                base=settings.of("hours.baseManual" if way == "manual" else "hours.baseOperator"),
                upgrades=hours.upgrades(way, nodes, driven, settings),
                faults=hours.faults(nodes, settings),
                money=None if rate is None else total * Fraction(rate.amount),
            )


def _idle(fleet: Fleet, answers: Answers) -> Iterator[Idle]:
    found: dict[str, dict[str, TierCards]] = {}
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            tier = pool.tier
            if tier.cost_per_card_hour:
                tiers = found.setdefault(tier.currency, {})
                before = tiers[tier.name].cards if tier.name in tiers else 0
                cards = before + pool.nodes * pool.cards_per_node
                tiers[tier.name] = TierCards(tier=tier.name, cards=cards, price=Decimal(tier.cost_per_card_hour))
    for currency, tiers in sorted(found.items()):
        percent = answers.number("idleCardsPercent")
        yield Idle(currency=currency, tiers=tuple(tiers.values()), percent=percent)


def _unpriced(fleet: Fleet) -> Iterator[str]:
    tiers = {pool.tier.name: pool.tier for cluster in fleet.clusters for pool in cluster.pools}
    return (name for name, tier in tiers.items() if not tier.cost_per_card_hour)


def _break_even(settings: Settings) -> Fraction | None:
    a_node = settings.of("hours.upgradeManual") - settings.of("hours.upgradeOperator")
    a_month = a_node * settings.of("hours.upgradesPerYear") / 12
    more = settings.of("hours.baseOperator") - settings.of("hours.baseManual")
    return max(more, Fraction(0)) / a_month if a_month else None
