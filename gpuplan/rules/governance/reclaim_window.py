"""A window that reaches as far back as Prometheus usually remembers.

Prometheus keeps 15 days unless it is told otherwise, and agents that forward samples keep hours. A reclaimer that looks
further back than its Prometheus remembers finds too few samples and spares everything, for ever.

Source: Prometheus, `--storage.tsdb.retention.time`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import written

DAY = 24 * 60
USUAL_DAYS = 3
"""Days from which on it is worth a look how long Prometheus keeps samples: small ones are run with a few days."""
DOC = RuleDoc(
    id="governance/reclaim-window",
    severity=Severity.INFO,
    summary="A window that Prometheus may not remember",
    why="Prometheus keeps 15 days unless told otherwise, and small ones are often told less. Work whose window is longer than "
    "that is never covered by samples, and so never reclaimed.",
    fix="See that Prometheus keeps longer than `idleMinutes`, or look at less.",
    bad="taskPools:\n  notebooks: {reclaim: {idleMinutes: 10080}}",
    good="taskPools:\n  notebooks: {reclaim: {idleMinutes: 240}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool with a window of days."""
    if fleet.governance.reclaim.mode is ReclaimMode.OFF:
        return
    for pool in fleet.task_pools:
        path = (*pool.idle.path, "idleMinutes")
        if pool.idle.enabled and pool.idle.idle_minutes >= USUAL_DAYS * DAY:
            at = fleet.places.value(path) if written(fleet, path) else fleet.places.key(pool.path)
            days = f"{pool.idle.idle_minutes / DAY:g} days"
            yield DOC.found(f"`{pool.name}` looks back {days}; does Prometheus keep samples for so long?", at=at)
