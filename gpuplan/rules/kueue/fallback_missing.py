"""Several tiers that offer one resource name, and no word about how jobs move between them.

Kueue always tries the next flavor when one cannot fit, so tiers with one resource name always mean fallback, in the
order in which they are listed. What is open is whether a job first borrows and preempts in the first tier or moves on
before that, and that decides who pays. gpuplan does not choose in silence.

Source: Kueue, flavorFungibility; #9462, #5424, #6187, #7361.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Fallback
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import choices
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="kueue/fallback-missing",
    severity=Severity.ERROR,
    summary="Several tiers for one resource name, without `fallback`",
    why="Kueue falls back between them in any case. Whether before or after it borrows and preempts is for you to say.",
    fix="Write `fallback: nextTier` to move on before borrowing and preempting, or `fallback: lastResort` to move on after. "
    "A task pool that must not fall back has one tier.",
    bad="taskPools:\n  nightly: {kind: batchInference, service: queued, tiers: [serve, train]}",
    good="taskPools:\n  nightly: {kind: batchInference, service: queued, tiers: [serve, train], fallback: nextTier}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool without `fallback` whose tiers offer one resource name."""
    for pool in fleet.task_pools:
        tiers = [dict.fromkeys(flavor.tier.name for flavor in flavors) for flavors in choices(fleet, pool)]
        several = next((names for names in tiers if len(names) > 1), None)
        if pool.fallback is Fallback.NONE and several:
            yield DOC.found(
                f"`{pool.name}` has tiers {listed(several)} for one resource name and no `fallback`",
                at=fleet.places.value((*pool.path, "tiers")),
            )
