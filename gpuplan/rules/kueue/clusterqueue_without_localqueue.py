"""A ClusterQueue that no LocalQueue leads to.

Work names LocalQueues, never ClusterQueues, so nobody can submit to such a queue. A queue of a cohort without
`namespaceSelector` is different: it takes no work on purpose, and lends what it owns.

Source: Kueue, LocalQueue; OCP-on-NERC/nerc-ocp-config.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import cluster_queues, local_queues
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/clusterqueue-without-localqueue",
    severity=Severity.WARNING,
    summary="A ClusterQueue that no LocalQueue leads to",
    why="Work names a LocalQueue of its namespace. Without one, nobody can submit to this queue, and its quota is only lent.",
    fix="Add a LocalQueue in each namespace that is to use the queue, or leave `namespaceSelector` out if it is only to lend.",
    bad="kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}",
    good="kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}\n---\n"
    "kind: LocalQueue\nmetadata: {name: main, namespace: nlp}\nspec: {clusterQueue: q}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queue without a way in, unless it is one that lends, or the files are a part."""
    reached = {local.cluster_queue for local in local_queues(inventory)}
    for queue in cluster_queues(inventory):
        if queue.name not in reached and not queue.lends_only and not inventory.assumed.partial:
            yield DOC.found(f"No LocalQueue leads to {queue}", at=queue.object.at_name)
