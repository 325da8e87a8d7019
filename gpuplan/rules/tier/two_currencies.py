"""Prices in several currencies.

Costs of a team are added up over tiers. gpuplan knows no rates of exchange, and a sum of dollars and euros is a wrong
number that looks right.

Source: arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers

DOC = RuleDoc(
    id="tier/two-currencies",
    severity=Severity.WARNING,
    summary="Prices in several currencies",
    why="A team's cost is the sum over tiers, and amounts in different currencies do not add up.",
    fix="Write all prices in one currency.",
    bad="cardTiers:\n  train: {costPerCardHour: 2.40 USD}\n  serve: {costPerCardHour: 0.90 EUR}",
    good="cardTiers:\n  train: {costPerCardHour: 2.40 USD}\n  serve: {costPerCardHour: 0.95 USD}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each price in another currency than the first one."""
    priced = [tier for tier in tiers(fleet) if tier.currency]
    for tier in priced:
        if tier.currency != priced[0].currency:
            yield DOC.found(
                f"Tier `{tier.name}` is priced in {tier.currency}, and tier `{priced[0].name}` in {priced[0].currency}",
                at=fleet.places.value((*tier.path, "costPerCardHour")),
                also=(Related("the first price", fleet.places.value((*priced[0].path, "costPerCardHour"))),),
            )
