"""A task pool named `default`.

LocalQueues are named after their task pool, and Kueue puts every job that names no queue into a LocalQueue called
`default`, if the namespace has one. Jobs that nobody meant to queue would then run in this task pool, and the guard
rail against jobs without a queue would never see them.

Source: Kueue, LocalQueue defaulting; #13374.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="queue/named-default",
    severity=Severity.WARNING,
    summary="A task pool named `default`",
    why="Kueue puts every job without a queue into a LocalQueue of that name, so all forgotten labels end up here unseen.",
    fix="Use another name, or accept the finding under `suppress` if that is what you want.",
    bad="taskPools:\n  default: {kind: experiment, service: reclaimable, tiers: [lab]}",
    good="taskPools:\n  scratch: {kind: experiment, service: reclaimable, tiers: [lab]}",
)

AUTOMATIC = "default"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for a task pool of that name."""
    for pool in fleet.task_pools:
        if pool.local_queue == AUTOMATIC:
            yield DOC.found(
                f"Kueue puts jobs without a queue into `{pool.local_queue}` of its own accord",
                at=fleet.places.key(pool.path),
            )
