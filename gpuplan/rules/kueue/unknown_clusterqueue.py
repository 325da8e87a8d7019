"""A LocalQueue that leads to a ClusterQueue which is not there.

Kueue takes the LocalQueue and leaves it inactive: what is submitted there waits without end. The field cannot be changed
afterwards either, so the LocalQueue must be made anew.

Source: Kueue, condition Active of a LocalQueue, reason ClusterQueueDoesNotExist; Kueue #7929, #2112.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import cluster_queues, local_queues
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="kueue/unknown-clusterqueue",
    severity=Severity.ERROR,
    summary="A LocalQueue leads to a ClusterQueue that is not there",
    why="The LocalQueue stays inactive, reason ClusterQueueDoesNotExist, and what is submitted there waits without end.",
    fix="Name a ClusterQueue that exists, or add it.",
    bad="kind: ClusterQueue\nmetadata: {name: vms}\n---\nkind: LocalQueue\nspec: {clusterQueue: default}",
    good="kind: ClusterQueue\nmetadata: {name: vms}\n---\nkind: LocalQueue\nspec: {clusterQueue: vms}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each LocalQueue whose ClusterQueue has no object; a warning where it may stand elsewhere."""
    known = {queue.name for queue in cluster_queues(inventory)}
    elsewhere = inventory.assumed.partial or not known
    for local in local_queues(inventory):
        if local.cluster_queue and local.cluster_queue not in known:
            yield DOC.found(
                f"{local.object} leads to ClusterQueue `{local.cluster_queue}`, which is not there",
                at=local.target.key_span,
                severity=Severity.WARNING if elsewhere else None,
                fix=meant(local.cluster_queue, known, DOC.fix),
            )
