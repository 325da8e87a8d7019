"""Online inference on cards that are shared by time slicing.

Time slicing shares a card's time and nothing else: all processes live in one device memory. A neighbour that grows takes the
serving pod's next allocation away, and a neighbour's long kernels are in its latency. MPS limits memory for each
client, MIG separates memory and compute in hardware.

Source: NVIDIA k8s-device-plugin, time slicing ("no memory isolation").
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskKind
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="share/no-memory-isolation",
    severity=Severity.WARNING,
    summary="Online inference on time-sliced cards",
    why="Time-sliced pods share one device memory: a neighbour that grows makes the serving pod fail, and slows it when it runs.",
    fix="Serve from whole cards, MIG instances or MPS shares.",
    bad="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [lab]}   # lab is time-sliced",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}   # serve has whole cards",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each time-sliced tier of a serving task pool."""
    sliced = {pool.tier.name: pool for _, pool in pools(fleet) if pool.sharing.mode is SharingMode.TIME_SLICING}
    for task_pool in fleet.task_pools:
        if task_pool.kind is not TaskKind.ONLINE_INFERENCE:
            continue
        for index, tier in enumerate(task_pool.tiers):
            if tier in sliced:
                pool = sliced[tier]
                yield DOC.found(
                    f"`{task_pool.name}` serves from tier `{tier}`, whose pool `{pool.name}` is shared by time slicing",
                    at=fleet.places.value((*task_pool.path, "tiers", index)),
                    also=(Related("shared here", fleet.places.key(sharing_path(pool))),),
                )
