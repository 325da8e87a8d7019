"""An MPI job on a tier with a Topology.

The launcher of an MPIJob asks for no card. Kueue gives such a pod no flavor, and where flavors have a Topology the
whole job then never starts, unless the launcher is grouped with its workers by the annotation
`kueue.x-k8s.io/podset-group-name`. Kueue's webhook takes that one only beside a topology annotation, and a launcher that
asks for nothing at all did not start even so (tried on 0.19.2).

Source: Kueue topology-aware scheduling (`podset-group-name`); Kueue #931, #1407, #891.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/cpu-only-podset",
    severity=Severity.WARNING,
    summary="An MPI job, whose launcher asks for no card, on a tier with a Topology",
    why="Kueue gives a pod without cards no flavor; beside flavors with a Topology the whole job then never starts.",
    fix="Set the annotations `kueue.x-k8s.io/podset-group-name` and `kueue.x-k8s.io/podset-required-topology` (or "
    "`-preferred-topology`) on launcher and workers of every MPIJob and give the launcher a CPU request, or write "
    "`topology: off` on the tier; accept the finding under `suppress` once that is done.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\ntaskPools:\n  pretrain: {tiers: [train], frameworks: [mpijob]}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb], topology: 'off'}\n"
    "taskPools:\n  pretrain: {tiers: [train], frameworks: [mpijob]}",
)

FRAMEWORK = "mpijob"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool that runs MPIJobs on a tier with a Topology."""
    for pool in fleet.task_pools:
        tiers = [flavor.tier for flavor in flavors_of(fleet, pool) if flavor.levels]
        if FRAMEWORK in pool.frameworks and tiers:
            index = pool.frameworks.index(FRAMEWORK)
            yield DOC.found(
                f"`{pool.name}` runs MPIJobs on tier `{tiers[0].name}`, which has a topology; their launchers ask for no card",
                at=fleet.places.value((*pool.path, "frameworks", index)),
                also=(Related("the tier", point(fleet, (*tiers[0].path, "topology"))),),
            )
