"""A tier whose cards no task pool may use.

Its pools are labelled, watched and paid for, and no queue has a flavor of it. Usually the tier was forgotten in a task
pool's `tiers`. A fleet without any task pool is only starting and gets no such finding.

Source: gpuplan's quota tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers

DOC = RuleDoc(
    id="tier/unused",
    severity=Severity.WARNING,
    summary="A tier whose cards no task pool may use",
    why="No queue has a flavor of this tier: its cards stay idle whatever anybody submits.",
    fix="Add the tier to the `tiers` of a task pool.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\ntaskPools:\n  chat: {tiers: [serve]}   # nothing uses train",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\ntaskPools:\n  pretrain: {tiers: [train]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier with pools that no task pool lists."""
    used = {tier for task_pool in fleet.task_pools for tier in task_pool.tiers}
    for tier in tiers(fleet) if used else ():
        if tier.name not in used:
            cards = sum(flavor.cards for cluster in fleet.clusters for flavor in cluster.flavors if flavor.tier == tier)
            yield DOC.found(
                f"No task pool uses tier `{tier.name}` and its {cards} cards", at=fleet.places.key(tier.path)
            )
