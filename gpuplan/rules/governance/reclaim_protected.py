"""Reclaiming of work that is spared unless somebody asks.

Guaranteed work has cards whether it uses them or not, stateful work loses what it holds in memory, and serving that waits for
requests is not waste: its cards are idle until somebody asks. A fleet may want to reclaim them all the same, say in a
laboratory; it should know what goes.

Source: gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Service, TaskKind, TaskPool
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="governance/reclaim-protected",
    severity=Severity.WARNING,
    summary="Work that others rely on may be reclaimed",
    why="Its cards may be idle by design: held ready for requests, or kept by right. Once suspended, "
    "it starts again from nothing, and what it held in memory is lost.",
    fix="Remove `enabled: true`, or accept it with a suppression that says why.",
    bad="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], reclaim: {enabled: true}}",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool that is enabled although it would be spared by default."""
    if fleet.governance.reclaim.mode is ReclaimMode.OFF:
        return
    for pool in fleet.task_pools:
        lost = _lost(pool)
        if pool.idle.enabled and lost:
            at = point(fleet, (*pool.idle.path, "enabled"))
            yield DOC.found(f"Idle work of `{pool.name}` may be suspended: {lost}", at=at)


def _lost(pool: TaskPool) -> str:
    """Return what goes when work of the pool is suspended; empty where it is reclaimed by default."""
    if pool.stateful:
        return "it is stateful, and what its pods hold in memory is lost"
    if pool.kind is TaskKind.ONLINE_INFERENCE:
        return "it serves requests, and cards without requests are idle"
    if pool.service is Service.GUARANTEED:
        return "it is guaranteed, and has its cards whether it uses them or not"
    return ""
