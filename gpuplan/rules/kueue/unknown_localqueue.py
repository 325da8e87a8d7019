"""Work that names a LocalQueue which its namespace does not have.

LocalQueues belong to a namespace: one of the same name next door does not count. The work stays suspended, and its Workload
says that the queue does not exist.

Source: Kueue #7929, #2112, #546.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queueing import entrances
from gpuplan.inventory.scheduling.queues import local_queues
from gpuplan.inventory.scheduling.workloads import Workload, queued
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/unknown-localqueue",
    severity=Severity.ERROR,
    summary="Work names a LocalQueue that its namespace does not have",
    why="Kueue looks for the LocalQueue in the namespace of the work and nowhere else. The work stays suspended without end.",
    fix="Name a LocalQueue of the namespace, or add one.",
    bad="kind: LocalQueue\nmetadata: {name: main, namespace: nlp}\n---\nkind: Job\n"
    "metadata: {namespace: vision, labels: {kueue.x-k8s.io/queue-name: main}}",
    good="kind: LocalQueue\nmetadata: {name: main, namespace: nlp}\n---\nkind: Job\n"
    "metadata: {namespace: nlp, labels: {kueue.x-k8s.io/queue-name: main}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding where the queues of the namespace are there without that one, or it stands in another namespace.

    Without either, queues may simply be kept elsewhere.
    """
    for work in queued(inventory):
        if entrances(inventory, work):
            continue
        name = work.queue.scalar()
        here = [one.object.name for one in local_queues(inventory) if one.object.namespace == work.namespace]
        next_door = [one.object.namespace for one in local_queues(inventory) if one.object.name == name]
        if next_door or nearest(name, here):
            yield _finding(work, here, next_door, partial=inventory.assumed.partial)


def _finding(work: Workload, here: list[str], next_door: list[str], *, partial: bool) -> Diagnostic:
    name = work.queue.scalar()
    near = nearest(name, here)
    others = in_a_row([f"`{one}`" for one in dict.fromkeys(next_door)])
    fix = f"Did you mean {near!r}?" if near else f"LocalQueue `{name}` is in {others}: submit there, or add one here."
    return DOC.found(
        f"{work} names queue `{name}`, and namespace `{work.namespace}` has no such LocalQueue",
        at=work.queue.key_span,
        severity=Severity.WARNING if partial else None,
        fix=fix,
    )
