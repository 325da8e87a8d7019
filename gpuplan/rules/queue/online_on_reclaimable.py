"""A service, or work that holds state, on cards that are taken back at once.

Reclaimable work lives on idle cards and is the first victim whenever somebody wants them. A service there goes down
at the busiest hour, when the owners need their cards, and stateful pods lose what they hold or keep the owners
waiting while they hand it over.

Source: gpuplan's service class `reclaimable`; Kueue, fair sharing with weight 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service, TaskKind
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="queue/online-on-reclaimable",
    severity=Severity.WARNING,
    summary="A service, or work that holds state, on cards that are taken back at once",
    why="Reclaimable work is the first victim whenever an owner wants cards: the service goes down at the busiest hour.",
    fix="Use `guaranteed` or `queued`, or accept the finding under `suppress` for a service that may go down.",
    bad="taskPools:\n  chat: {kind: onlineInference, service: reclaimable, tiers: [serve]}",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each reclaimable task pool of services or stateful work."""
    for pool in fleet.task_pools:
        if pool.service is Service.RECLAIMABLE and (pool.stateful or pool.kind is TaskKind.ONLINE_INFERENCE):
            what = "holds state" if pool.stateful else "runs services"
            yield DOC.found(
                f"`{pool.name}` {what}, and its cards are taken back at any moment",
                at=fleet.places.value((*pool.path, "service")),
            )
