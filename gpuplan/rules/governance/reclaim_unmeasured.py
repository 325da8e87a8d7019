"""Task pools whose idle work nobody can tell.

The utilisation of a card that several pods share says nothing of one of them, and how many devices a pod has claimed is not
written in it. Such work is spared always, so that a reclaimer never takes what it cannot measure.

Source: NVIDIA/dcgm-exporter, metrics of shared cards; gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.queues import TaskPool
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_policy import is_measured
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="governance/reclaim-unmeasured",
    severity=Severity.INFO,
    summary="Idle work that cannot be told is never reclaimed",
    why="Utilisation is measured by card: it says nothing of one of several pods on a card, nor which devices a pod has claimed. "
    "Such work is always spared.",
    fix="Nothing has to change. Write `reclaim: {enabled: false}` to say so, or give the work cards or MIG instances of its own.",
    bad="nodePools:\n  t4: {tier: desk, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}, sharing: {mps: {replicas: 4}}}\n"
    "taskPools:\n  notebooks: {kind: experiment, service: shared, tiers: [desk], pool: {desk: 32}}",
    good="taskPools:\n  desks: {kind: experiment, service: reclaimable, tiers: [desk], reclaim: {enabled: false}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool that is enabled and has no card of which it could be told."""
    if fleet.governance.reclaim.mode is ReclaimMode.OFF:
        return
    for task_pool in fleet.task_pools:
        pools = list(_pools(fleet, task_pool))
        if task_pool.idle.enabled and pools and not any(_can_be_told(pool) for pool in pools):
            yield DOC.found(
                f"Idle work of `{task_pool.name}` cannot be told: pods share its cards, or claim devices",
                at=fleet.places.key(task_pool.path),
            )


def _pools(fleet: Fleet, task_pool: TaskPool) -> Iterator[NodePool]:
    """Yield the node pools on which work of a task pool may run, in all clusters."""
    for cluster in fleet.clusters:
        for cohort in cluster.cohorts:
            if cohort.task_pool.name == task_pool.name:
                yield from (pool for flavor in cohort.flavors for pool in flavor.pools)


def _can_be_told(pool: NodePool) -> bool:
    return is_measured(pool) and pool.exposure is not Exposure.DRA
