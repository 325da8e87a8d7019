"""A threshold of preemption while borrowing that only the lowest class is under.

With `borrowWithinCohort`, a queue may evict work of other queues while it borrows, up to `maxPriorityThreshold`. A threshold at
the lowest class's value leaves that class alone as victim; below it there is none at all.

Source: Kueue, ClusterQueue preemption; opencadc/science-platform.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import GROUP, cluster_queues
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/threshold-at-lowest-class",
    severity=Severity.INFO,
    summary="A threshold of preemption while borrowing that only the lowest class is under",
    why="While it borrows, the queue can evict work up to the threshold only. Classes above it are safe.",
    fix="Nothing has to change if that is the intent; else raise the threshold to the highest class that may be evicted.",
    bad="borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 10000}\n# with classes of 10000 and 100000",
    good="borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100000}",
)

_FEWEST = 2


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note for each queue whose threshold is at or below the lowest of several WorkloadPriorityClasses."""
    classes = [
        (one.root["value"].number(), one.name) for one in inventory.of("WorkloadPriorityClass") if one.group == GROUP
    ]
    known = sorted((value, name) for value, name in classes if value is not None)
    if len(known) < _FEWEST:
        return
    lowest, name = known[0]
    for queue in cluster_queues(inventory):
        view = queue.preemption["borrowWithinCohort"]["maxPriorityThreshold"]
        threshold = view.number()
        if threshold is not None and threshold <= lowest:
            victims = (
                f"only `{name}` ({lowest})" if threshold == lowest else f"no class (the lowest, `{name}`, is {lowest})"
            )
            yield DOC.found(f"{queue} may evict {victims} while it borrows", at=view.key_span)
