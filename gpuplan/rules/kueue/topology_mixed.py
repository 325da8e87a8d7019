"""A task pool that mixes tiers with and without a Topology.

A flavor with a Topology takes plain jobs only if every flavor of the queue has one; a flavor without one never takes
a job that asks for a topology. In a queue with both, plain jobs are refused by the first and the others by the
second: each sees half of the cards, and nothing says so.

Source: Kueue topology-aware scheduling, flavor assignment; tried on 0.19.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/topology-mixed",
    severity=Severity.ERROR,
    summary="A task pool that mixes tiers with and without a Topology",
    why="In a queue with both, flavors with a Topology refuse plain jobs, and the others refuse jobs that ask for one.",
    fix="Let all tiers of the task pool have a topology, or none.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\n  lab: {cards: [l40s], topology: 'off'}\n"
    "taskPools:\n  nightly: {tiers: [train, lab], fallback: nextTier}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\n  lab: {cards: [l40s]}\n"
    "taskPools:\n  nightly: {tiers: [train, lab], fallback: nextTier}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier without a Topology beside one with."""
    for _, cohort in cohorts(fleet):
        having = [flavor.tier for flavor in cohort.flavors if flavor.levels]
        for flavor in cohort.flavors if having else ():
            if not flavor.levels:
                tier = cohort.task_pool.tiers.index(flavor.tier.name)
                yield DOC.found(
                    f"`{cohort.task_pool.name}` mixes tier `{flavor.tier.name}`, whose topology is off, "
                    f"with `{having[0].name}`, which has one",
                    at=fleet.places.value((*cohort.task_pool.path, "tiers", tier)),
                    also=(Related("switched off here", point(fleet, (*flavor.tier.path, "topology"))),),
                )
