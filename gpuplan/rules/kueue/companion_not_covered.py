"""A queue that counts cards, and not the cpu or memory that pods with cards ask for.

Nearly every pod asks for cpu and memory, and Kueue lets no work in that asks for something which the queue does not cover. It is
fine where Kueue's configuration says to ignore what is not declared, or excludes the two.

Source: Kueue #4848, #931; `resources.quotaCheckStrategy` since 0.19.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.kueue_settings import settings
from gpuplan.inventory.scheduling.queues import ClusterQueue, ResourceGroup, cluster_queues, cohorts, holders
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/companion-not-covered",
    severity=Severity.WARNING,
    summary="A queue counts cards and not the cpu or memory beside them",
    why="Work that asks for cpu or memory, as nearly all does, is not let in: the resource is unavailable in the ClusterQueue.",
    fix="Cover cpu and memory too, or have Kueue ignore what is not declared (`quotaCheckStrategy`, `excludeResourcePrefixes`).",
    bad="coveredResources: [nvidia.com/gpu]",
    good="coveredResources: [cpu, memory, nvidia.com/gpu]",
)

COMPANIONS = ("cpu", "memory")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queue with cards that lacks cpu or memory.

    Where quotas come from Cohort objects and nothing in the whole set counts cpu or memory, they are left out by decision:
    Kueue must run with a configuration that says so, wherever that is kept.
    """
    counted = any(name in holder.covered for holder in holders(inventory) for name in COMPANIONS)
    if inventory.assumed.partial or (cohorts(inventory) and not counted):
        return
    rules = settings(inventory)
    for queue in cluster_queues(inventory):
        missing = [name for name in COMPANIONS if rules.missing(name, queue.covered)]
        group = _cards(inventory, queue)
        if group is not None and missing:
            names = in_a_row([f"`{name}`" for name in missing])
            yield DOC.found(f"{queue} covers cards and not {names}", at=group.view["coveredResources"].key_span)


def _cards(inventory: Inventory, queue: ClusterQueue) -> ResourceGroup | None:
    devices = inventory.catalog.accelerators
    return next((group for group in queue.groups if any(name in devices for name in group.covered)), None)
