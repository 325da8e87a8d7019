"""A task pool's tier that has no node pool anywhere.

Jobs never get there: the task pool has no flavor for the tier in any cluster. Where it is the only tier, the task pool
has no queue at all.

Source: gpuplan's quota tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers

DOC = RuleDoc(
    id="tier/without-pools",
    severity=Severity.WARNING,
    summary="A task pool's tier without nodes",
    why="No cluster has a node pool of this tier, so no job of the task pool ever gets there.",
    fix="Add a node pool of the tier, or remove it from the task pool.",
    bad="taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}   # no nodePools entry has tier train",
    good="taskPools:\n  nightly: {tiers: [serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each listed tier that no pool has."""
    present = {tier.name for tier in tiers(fleet)}
    for task_pool in fleet.task_pools:
        for index, tier in enumerate(task_pool.tiers):
            if tier not in present:
                summary = f"Task pool `{task_pool.name}` lists tier `{tier}`, which no node pool has"
                yield DOC.found(summary, at=fleet.places.value((*task_pool.path, "tiers", index)))
