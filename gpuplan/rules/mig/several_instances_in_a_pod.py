"""A task pool whose pods ask for several MIG instances.

A CUDA process sees one MIG instance at a time, and there is no NVLink or peer access between instances. A pod that asks
for two gets two, computes on the first, and the second lies idle in its name. More work in one pod needs a larger
profile.

Source: NVIDIA MIG User Guide, CUDA device enumeration. Report: NVIDIA/k8s-device-plugin #728.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuplan.catalog.mig import RESOURCE_PREFIX
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.asked import by_containers
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import flavors_of
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="mig/several-instances-in-a-pod",
    severity=Severity.WARNING,
    summary="Pods that ask for several MIG instances",
    why="A CUDA process uses one MIG instance, and instances cannot reach each other: the others in the pod lie idle.",
    fix="Cut a larger profile and ask for one, or run more pods.",
    bad="taskPools:\n  notebooks: {kind: experiment, service: shared, tiers: [lab], largestJob: {cardsPerPod: 2}}",
    good="taskPools:\n  notebooks: {kind: experiment, service: shared, tiers: [lab], largestJob: {pods: 2}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose pods ask for more than one piece and that only has MIG tiers."""
    for task_pool in fleet.task_pools:
        flavors = flavors_of(fleet, task_pool)
        if task_pool.largest_job.per_pod > 1 and flavors and all(_instances_only(flavor) for flavor in flavors):
            tiers = listed(dict.fromkeys(flavor.tier.name for flavor in flavors))
            yield DOC.found(
                f"Pods of `{task_pool.name}` ask for {task_pool.largest_job.per_pod} pieces, and {tiers} has MIG instances only",
                at=fleet.places.value((*task_pool.path, "largestJob", "cardsPerPod")),
            )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each container that asks for more than one instance, where it passes the first."""
    count: Counter[object] = Counter()
    for one in by_containers(inventory):
        if one.resource.startswith(RESOURCE_PREFIX) and one.amount.whole > 0:
            before = count[one.container]
            count[one.container] += one.amount.whole
            if before <= 1 < count[one.container]:
                asked = "several MIG instances" if before else f"{one.amount} MIG instances"
                yield DOC.found(f"A container of {one.who} asks for {asked} and computes on one", at=one.at)


def _instances_only(flavor: Flavor) -> bool:
    """Tell whether no card of the flavor stays whole."""
    return flavor.sharing.mode is SharingMode.MIG and all(group.profiles for group in flavor.sharing.groups)
