"""A fallback with nothing to fall back to.

`fallback` says how jobs move between flavors that offer one resource name. With a single flavor in every cluster
there is no other place to go.

Source: Kueue, flavorFungibility.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Fallback
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import apart, choices, flavors_of
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/fallback-without-choice",
    severity=Severity.WARNING,
    summary="A fallback with nothing to fall back to",
    why="There is one flavor in each cluster, so jobs cannot move. The reader of the file believes that they can.",
    fix="Remove `fallback`, or add a tier.",
    bad="taskPools:\n  chat: {tiers: [serve], fallback: nextTier}",
    good="taskPools:\n  chat: {tiers: [serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool with `fallback` that has no second flavor in any cluster."""
    for pool in fleet.task_pools:
        flavors = flavors_of(fleet, pool)
        if pool.fallback is not Fallback.NONE and flavors and not choices(fleet, pool) and not apart(fleet, pool):
            yield DOC.found(
                f"`{pool.name}` has `fallback: {pool.fallback.value}`, and one flavor in each cluster",
                at=point(fleet, (*pool.path, "fallback")),
            )
