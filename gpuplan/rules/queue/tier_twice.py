"""A tier that a task pool lists twice.

A flavor may stand in a ClusterQueue once; Kueue refuses the second. What was meant is usually another tier.

Source: Kueue webhook of ClusterQueue, a flavor in one resource group only.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="queue/tier-twice",
    severity=Severity.ERROR,
    summary="A tier that a task pool lists twice",
    why="Its flavors would stand twice in each queue, which Kueue refuses.",
    fix="Remove one of the two, or write the tier that was meant.",
    bad="taskPools:\n  nightly: {tiers: [serve, serve], fallback: nextTier}",
    good="taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each repeated tier."""
    for pool in fleet.task_pools:
        for index, first in repeats(pool.tiers):
            yield DOC.found(
                f"`{pool.name}` lists tier `{pool.tiers[index]}` twice",
                at=fleet.places.value((*pool.path, "tiers", index)),
                also=(Related("listed here first", fleet.places.value((*pool.path, "tiers", first))),),
            )
