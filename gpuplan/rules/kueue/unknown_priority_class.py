"""Work that names a WorkloadPriorityClass which is not there.

Kueue cannot make the Workload of such a job, so nothing is queued at all; the job stays suspended. A PriorityClass of that name
does not help: that is another kind, which pods name.

Source: Kueue, `kueue.x-k8s.io/priority-class`; #1537, #973.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_PRIORITY_CLASS
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import names
from gpuplan.inventory.scheduling.workloads import queued
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="kueue/unknown-priority-class",
    severity=Severity.ERROR,
    summary="Work names a WorkloadPriorityClass that is not there",
    why="Kueue makes no Workload for it, so it is not even queued, and stays suspended.",
    fix="Name a WorkloadPriorityClass that exists, or add it.",
    bad="kind: WorkloadPriorityClass\nmetadata: {name: high}\n---\n"
    "kind: Job\nmetadata: {labels: {kueue.x-k8s.io/priority-class: hihg}}",
    good="kind: WorkloadPriorityClass\nmetadata: {name: high}\n---\n"
    "kind: Job\nmetadata: {labels: {kueue.x-k8s.io/priority-class: high}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queued workload whose class has no object, where there are any; else they are kept elsewhere."""
    known = names(inventory, "WorkloadPriorityClass")
    pods = {one.name for one in inventory.of("PriorityClass")}
    for work in queued(inventory) if known or pods else ():
        view = work.queue.item.root["metadata"]["labels"][LABEL_PRIORITY_CLASS]
        name = view.scalar()
        if name and name not in known and (known or name in pods):
            other_kind = f"`{name}` is a PriorityClass, which pods name. Add a WorkloadPriorityClass."
            yield DOC.found(
                f"{work} names WorkloadPriorityClass `{name}`, which is not there",
                at=view.key_span,
                severity=Severity.WARNING if inventory.assumed.partial or not known else None,
                fix=other_kind if name in pods else meant(name, known, DOC.fix),
            )
