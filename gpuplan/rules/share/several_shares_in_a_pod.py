"""A task pool whose pods ask for several shares of a card.

Two shares are not two cards: they may be of the same one, and they give no more of its time than one does. gpuplan
therefore renders `failRequestsGreaterThanOne: true`, and MPS demands it: the kubelet refuses such a pod with
UnexpectedAdmissionError, again and again, after Kueue has admitted it. The finding is made where every tier of the task
pool is shared.

Source: NVIDIA k8s-device-plugin. Reports: NVIDIA/k8s-device-plugin #461, #491, #929, NVIDIA/gpu-operator #386.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="share/several-shares-in-a-pod",
    severity=Severity.ERROR,
    summary="Pods that ask for several shares of a card",
    why="Several shares may be of one card and give no more of it. The kubelet refuses such a pod after Kueue has admitted it.",
    fix="Write `cardsPerPod: 1`, or give the task pool a tier of whole cards.",
    bad="taskPools:\n  tune: {kind: training, service: queued, tiers: [lab], largestJob: {cardsPerPod: 2}}   # lab is shared",
    good="taskPools:\n  tune: {kind: training, service: queued, tiers: [lab], largestJob: {pods: 2}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose pods ask for more than one share and that only has shared tiers."""
    for task_pool in fleet.task_pools:
        flavors = flavors_of(fleet, task_pool)
        asked = task_pool.largest_job.per_pod
        if asked > 1 and flavors and all(flavor.sharing.shared for flavor in flavors):
            tiers = listed(dict.fromkeys(flavor.tier.name for flavor in flavors))
            yield DOC.found(
                f"Pods of `{task_pool.name}` ask for {asked} pieces, and {tiers} offers shares of cards only",
                at=fleet.places.value((*task_pool.path, "largestJob", "cardsPerPod")),
            )
