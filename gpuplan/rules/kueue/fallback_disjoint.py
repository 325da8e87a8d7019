"""A fallback between tiers that offer different resource names.

A job asks for a resource by name. If one tier offers `nvidia.com/gpu` and the next `nvidia.com/mig-1g.5gb`, no job
fits both, and Kueue keeps them apart: nothing ever falls back.

Source: Kueue, resource groups of a ClusterQueue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Fallback
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import apart, choices
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="kueue/fallback-disjoint",
    severity=Severity.ERROR,
    summary="A fallback between tiers that offer different resource names",
    why="A job asks for one name, which only one of the tiers has. It never moves to another.",
    fix="Remove `fallback`: jobs choose by the resource name. To fall back, use tiers that are shared alike.",
    bad="nodePools:\n  a: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}\n  b: {tier: serve}\n"
    "taskPools:\n  scratch: {tiers: [lab, serve], fallback: nextTier}",
    good="nodePools:\n  a: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}\n  b: {tier: serve}\n"
    "taskPools:\n  scratch: {tiers: [lab, serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool with `fallback` whose flavors in one cluster have no name in common."""
    for pool in fleet.task_pools:
        separate = apart(fleet, pool)
        if pool.fallback is not Fallback.NONE and separate and not choices(fleet, pool):
            offers = " and ".join(f"`{flavor.name}` {listed(flavor.capacity)}" for flavor in separate)
            yield DOC.found(
                f"`{pool.name}` has `fallback: {pool.fallback.value}`, but no resource name is offered twice: {offers}",
                at=point(fleet, (*pool.path, "fallback")),
            )
