"""A tier without a price in a fleet that has prices.

Reports of cost by team leave its cards out, so teams on this tier look cheap. A fleet without any price wants no such
reports and gets no finding.

Source: gpuplan's cost reports.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers

DOC = RuleDoc(
    id="tier/no-price",
    severity=Severity.INFO,
    summary="A tier without a price beside tiers that have one",
    why="Cost by team leaves its cards out, so that work there looks free.",
    fix="Add `costPerCardHour`.",
    bad="cardTiers:\n  train: {costPerCardHour: 2.40 USD}\n  lab: {cards: [t4]}",
    good="cardTiers:\n  train: {costPerCardHour: 2.40 USD}\n  lab: {cards: [t4], costPerCardHour: 0.25 USD}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier without a price, if any tier has one."""
    known = list(tiers(fleet))
    if any(tier.currency for tier in known):
        for tier in known:
            if not tier.currency:
                yield DOC.found(f"Tier `{tier.name}` has no price", at=fleet.places.key(tier.path))
