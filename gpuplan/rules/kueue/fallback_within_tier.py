"""One tier with several flavors, and no word about how jobs move between them.

A tier with two cards, or with pools that share their cards differently, is several flavors to Kueue. A job that finds
no room in the first goes on to the next, in the order of the node pools. Without `fallback` it is Kueue's default
that decides whether it borrows and preempts first.

Source: Kueue, flavorFungibility; #9462, #5424.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Fallback
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import choices
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="kueue/fallback-within-tier",
    severity=Severity.WARNING,
    summary="One tier with several flavors, without `fallback`",
    why="Kueue falls back between the flavors of a tier as it does between tiers, in the order of the node pools.",
    fix="Write `fallback: nextTier` or `fallback: lastResort`, or split the tier.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb, h200-141gb]}\ntaskPools:\n  pretrain: {tiers: [train]}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb, h200-141gb]}\n"
    "taskPools:\n  pretrain: {tiers: [train], fallback: lastResort}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool without `fallback` that has several flavors of one tier for one resource name."""
    for pool in fleet.task_pools:
        several = choices(fleet, pool)
        between_tiers = any(len({flavor.tier.name for flavor in flavors}) > 1 for flavors in several)
        if pool.fallback is Fallback.NONE and several and not between_tiers:
            flavors = several[0]
            tier = flavors[0].tier.name
            yield DOC.found(
                f"In `{pool.name}`, tier `{tier}` is {listed(flavor.name for flavor in flavors)}, in this order, "
                "and there is no `fallback`",
                at=fleet.places.value((*pool.path, "tiers", pool.tiers.index(tier))),
                also=tuple(Related(f"makes `{f.name}`", fleet.places.key(f.pools[0].path)) for f in flavors),
            )
