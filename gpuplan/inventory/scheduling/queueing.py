"""From work to its queue: the LocalQueue that a workload names, and the ClusterQueue behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.scheduling.kueue_settings import settings
from gpuplan.inventory.scheduling.queues import ClusterQueue, LocalQueue, ResourceGroup, cluster_queues, local_queues
from gpuplan.inventory.scheduling.workloads import PodSet, Workload, queued


@dataclass(frozen=True, eq=False, kw_only=True)
class Queued:
    """Work whose ClusterQueue is known."""

    work: Workload
    queue: ClusterQueue

    def needs(self, inventory: Inventory) -> Iterator[tuple[PodSet, ResourceGroup]]:
        """Yield each pod set with each resource group that it must get a flavor from."""
        rules = settings(inventory)
        for pods in self.work.pod_sets:
            counted = {name for asked in pods.requests for name in rules.counted(asked)}
            for group in self.queue.groups:
                if counted.intersection(group.covered) and pods.count > 0:
                    yield pods, group


@once
def arrivals(inventory: Inventory) -> tuple[Queued, ...]:
    """Return the work that names a queue of the inventory, with the ClusterQueue that it arrives in. The last answer is kept."""
    return tuple(_arrivals(inventory))


def _arrivals(inventory: Inventory) -> Iterator[Queued]:
    named = {one.name: one for one in reversed(cluster_queues(inventory))}
    for work in queued(inventory):
        targets = {one.cluster_queue for one in entrances(inventory, work)}
        queue = named.get(targets.pop()) if len(targets) == 1 else None
        if queue is not None:
            yield Queued(work=work, queue=queue)


def entrances(inventory: Inventory, work: Workload) -> list[LocalQueue]:
    """Return the LocalQueues that a workload may mean: those of its queue's name that can be in its namespace.

    Who writes no namespace leaves it to the tool that applies the files.
    """
    named = _by_name(inventory).get(work.queue.scalar(), {})
    if not work.namespace:
        return [one for found in named.values() for one in found]
    return [*named.get(work.namespace, ()), *named.get("", ())]


@once
def _by_name(inventory: Inventory) -> Mapping[str, Mapping[str, Sequence[LocalQueue]]]:
    """Return the LocalQueues by name and namespace."""
    found: dict[str, dict[str, list[LocalQueue]]] = {}
    for one in local_queues(inventory):
        found.setdefault(one.object.name, {}).setdefault(one.object.namespace, []).append(one)
    return found
