"""Pools of one task pool that do not count the same companions.

Kueue gives all resources of a job one flavor. If it counts `cpu` in one flavor and not in another, the second has a quota
of 0 for it, and a job that asks for CPU, as nearly every job does, can never get the second flavor. If two pools of one
flavor differ, the total that Kueue counts is that of a part of the nodes.

Source: Kueue's resource groups, where every flavor lists every covered resource; Kueue #931, AI-Hypercomputer/xpk #603.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts

DOC = RuleDoc(
    id="kueue/companions-differ",
    severity=Severity.ERROR,
    summary="Pools of one task pool that count different companions",
    why="A flavor that does not count a resource has none of it: jobs that ask for it never get that flavor.",
    fix="Give all pools of the task pool's tiers the same `companions`, or none.",
    bad="nodePools:\n  a: {tier: train, companions: {cpu: 90}}\n  b: {tier: serve}\n"
    "taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}",
    good="nodePools:\n  a: {tier: train, companions: {cpu: 90}}\n  b: {tier: serve, companions: {cpu: 60}}\n"
    "taskPools:\n  nightly: {tiers: [serve, train], fallback: nextTier}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose companions differ from the first one's in its task pool's group."""
    said: set[tuple[str, str]] = set()
    for _, cohort in cohorts(fleet):
        for group in cohort.groups:
            first, *others = (pool for flavor in group.flavors for pool in flavor.pools)
            for other in others:
                if other.companions.keys() != first.companions.keys() and (first.name, other.name) not in said:
                    said.add((first.name, other.name))
                    yield _finding(fleet, first, other)


def _finding(fleet: Fleet, first: NodePool, other: NodePool) -> Diagnostic:
    return DOC.found(
        f"Pool `{other.name}` counts {_listed(other)} beside its cards, but `{first.name}` counts {_listed(first)}",
        at=fleet.places.key((*other.path, "companions")),
        also=(Related(f"counts {_listed(first)}", fleet.places.key((*first.path, "companions"))),),
    )


def _listed(pool: NodePool) -> str:
    return ", ".join(f"`{name}`" for name in pool.companions) or "nothing"
