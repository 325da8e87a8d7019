"""One resource name that stands for different things in one task pool.

Kueue compares names and numbers, nothing else. If one tier offers whole cards and another quarters of cards under one
name, a job that asks for one piece gets a whole card or a quarter of one, by the accident of which flavor had room,
and quotas of the two cannot be compared.

Source: NVIDIA device plugin (`nvidia.com/gpu.shared` counts replicas, MIG strategy `single` makes instances
`nvidia.com/gpu`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Cohort, ResourceGroup
from gpuplan.model.sharing import WHOLE_CARD
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/units-differ",
    severity=Severity.ERROR,
    summary="One resource name that stands for different things in one task pool",
    why="Kueue sees the name only. A job that asks for one piece would get a whole card or a part of one, as it happens.",
    fix="Use tiers that offer the same unit, or give the task pool one of the tiers only.",
    bad="nodePools:\n  a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}\n"
    "  b: {tier: probe, sharing: {mps: {replicas: 8}}}\n"
    "taskPools:\n  notebooks: {tiers: [desk, probe], fallback: nextTier}",
    good="nodePools:\n  a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}\n"
    "  b: {tier: probe, sharing: {mps: {replicas: 4}}}\n"
    "taskPools:\n  notebooks: {tiers: [desk, probe], fallback: nextTier}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor whose unit differs from the first of its name in the task pool."""
    for _, cohort in cohorts(fleet):
        for group in cohort.groups:
            for resource in group.resources:
                yield from _differing(fleet, cohort, group, resource)


def _differing(fleet: Fleet, cohort: Cohort, group: ResourceGroup, resource: str) -> Iterator[Diagnostic]:
    offering = [flavor for flavor in group.flavors if resource in flavor.units]
    for other in offering[1:]:
        first = offering[0]
        if other.units[resource] != first.units[resource]:
            tier = cohort.task_pool.tiers.index(other.tier.name)
            yield DOC.found(
                f"In `{cohort.task_pool.name}`, `{resource}` is {_unit(first, resource)} in `{first.name}` "
                f"and {_unit(other, resource)} in `{other.name}`",
                at=fleet.places.value((*cohort.task_pool.path, "tiers", tier)),
                also=tuple(
                    Related(f"offers {_unit(flavor, resource)}", point(fleet, (*flavor.pools[0].path, "sharing")))
                    for flavor in (first, other)
                ),
            )


def _unit(flavor: Flavor, resource: str) -> str:
    """Return the unit in words: a card, 1/4 of a card, an instance of 1g.5gb."""
    unit = flavor.units[resource]
    if unit == WHOLE_CARD:
        return "a whole card"
    return f"{unit.card_share} of a card" if "/" in unit.part else f"an instance of {unit.part}"
