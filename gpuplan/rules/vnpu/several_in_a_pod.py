"""Pods that ask for several virtual NPUs.

A pod may ask for one virtual NPU: MindCluster's plugin supports no more, and virtual NPUs do not work together. Kueue would
admit such a pod, and the node turn it away. The finding is made where every tier of the task pool has virtual NPUs
only.

Source: MindCluster, static virtualization, restrictions ("only one").
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="vnpu/several-in-a-pod",
    severity=Severity.WARNING,
    summary="Pods that ask for several virtual NPUs",
    why="A pod may hold one virtual NPU: Kueue would admit it with more, and the node turn it away.",
    fix="Write `cardsPerPod: 1`, cut larger virtual NPUs, or give the task pool a tier of whole cards.",
    bad="taskPools:\n  infer: {kind: batchInference, service: queued, tiers: [npu], largestJob: {cardsPerPod: 2}}",
    good="taskPools:\n  infer: {kind: batchInference, service: queued, tiers: [npu], largestJob: {pods: 2}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose pods ask for more than one virtual NPU."""
    for task_pool in fleet.task_pools:
        flavors = flavors_of(fleet, task_pool)
        asked = task_pool.largest_job.per_pod
        if asked > 1 and flavors and all(flavor.sharing.mode is SharingMode.VNPU for flavor in flavors):
            tiers = listed(dict.fromkeys(flavor.tier.name for flavor in flavors))
            yield DOC.found(
                f"Pods of `{task_pool.name}` ask for {asked} pieces, and {tiers} offers virtual NPUs only",
                at=fleet.places.value((*task_pool.path, "largestJob", "cardsPerPod")),
            )
