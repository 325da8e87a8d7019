"""Jobs without a queue are managed, and the namespace has no LocalQueue `default`.

`manageJobsWithoutQueueName` suspends every job. One that names no queue goes to the LocalQueue `default` of its namespace; where
there is none, it stays suspended without end.

Source: Kueue #7929.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.scheduling.queues import LocalQueue, local_queues
from gpuplan.inventory.scheduling.selecting import selects_namespace
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/no-default-localqueue",
    severity=Severity.ERROR,
    summary="Jobs without a queue are managed, and the namespace has no LocalQueue `default`",
    why="A job that names no queue goes to LocalQueue `default`. Without that, it stays suspended without end.",
    fix="Add a LocalQueue `default` in the namespace, label every job, or switch `manageJobsWithoutQueueName` off.",
    bad="manageJobsWithoutQueueName: true\n---\nkind: LocalQueue\nmetadata: {name: main, namespace: nlp}",
    good="manageJobsWithoutQueueName: true\n---\nkind: LocalQueue\nmetadata: {name: default, namespace: nlp}",
)

DEFAULT = "default"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each managed namespace that has queues, and none of that name."""
    managing = [one for one in inventory.configs_of(Format.KUEUE) if one.root["manageJobsWithoutQueueName"].flag()]
    if not managing:
        return
    by_namespace: dict[str, list[LocalQueue]] = {}
    for local in local_queues(inventory):
        by_namespace.setdefault(local.object.namespace, []).append(local)
    for namespace, found in by_namespace.items():
        if (
            namespace
            and _managed(inventory, managing[0], namespace)
            and all(one.object.name != DEFAULT for one in found)
        ):
            yield _finding(found[0], partial=inventory.assumed.partial)


def _managed(inventory: Inventory, config: Config, namespace: str) -> bool:
    selector = config.root["managedJobsNamespaceSelector"]
    return not selector.exists or selects_namespace(inventory, selector, namespace) is True


def _finding(local: LocalQueue, *, partial: bool) -> Diagnostic:
    metadata = local.object.root["metadata"]
    return DOC.found(
        f"Namespace `{local.object.namespace}` has no LocalQueue `{DEFAULT}`, and jobs without a queue are managed",
        at=metadata["namespace"].key_span,
        severity=Severity.WARNING if partial else None,
    )
