"""A LocalQueue in a namespace whose work its ClusterQueue does not take.

`namespaceSelector` decides whose work a ClusterQueue takes. A missing one takes nobody's, only an empty one (`{}`) takes
everybody's. Work from elsewhere waits without end, though both queues are active.

Source: Kueue #301, #1439.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import ClusterQueue, LocalQueue, cluster_queues, local_queues
from gpuplan.inventory.scheduling.selecting import selects_namespace
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/namespace-not-selected",
    severity=Severity.ERROR,
    summary="A LocalQueue in a namespace whose work its ClusterQueue does not take",
    why="Work is let in only from namespaces that `namespaceSelector` selects. A missing one selects none, `{}` all.",
    fix="Let `namespaceSelector` select the namespace.",
    bad="kind: ClusterQueue\nmetadata: {name: q}\nspec: {}\n---\nkind: LocalQueue\nspec: {clusterQueue: q}",
    good="kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}\n---\nkind: LocalQueue\nspec: {clusterQueue: q}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each LocalQueue whose namespace is surely not selected."""
    named = {queue.name: queue for queue in reversed(cluster_queues(inventory))}
    for local in local_queues(inventory):
        queue = named.get(local.cluster_queue)
        if queue is not None and _is_shut(inventory, queue, local):
            missing = "has no `namespaceSelector`, so it takes nobody's work"
            told = (
                f"does not select namespace `{local.object.namespace}`" if queue.namespace_selector.exists else missing
            )
            yield DOC.found(f"{local.object} leads to {queue}, which {told}", at=local.target.key_span)


def _is_shut(inventory: Inventory, queue: ClusterQueue, local: LocalQueue) -> bool:
    if not queue.namespace_selector.exists:
        return True
    namespace = local.object.namespace
    return bool(namespace) and selects_namespace(inventory, queue.namespace_selector, namespace) is False
