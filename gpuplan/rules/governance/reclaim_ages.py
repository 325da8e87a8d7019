"""Ages that contradict what reclaiming looks at.

Work is judged by what its cards did in the last `idleMinutes`, of which `coveragePercent` must be measured. A smaller
`minimumAgeMinutes` spares nothing more: work that young has too few samples and is spared for that reason, so that the number
does not say when work is first taken.

Source: gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import written

DOC = RuleDoc(
    id="governance/reclaim-ages",
    severity=Severity.WARNING,
    summary="Work may be reclaimed before it is as old as the time that is looked at",
    why="Work younger than the window has no samples for all of it: it is spared as not covered, or judged by its first minutes, "
    "in which it loads data and compiles.",
    fix="Let `minimumAgeMinutes` be at least `idleMinutes`, and more where programs take long to begin.",
    bad="taskPools:\n  notebooks: {reclaim: {idleMinutes: 120, minimumAgeMinutes: 60}}",
    good="taskPools:\n  notebooks: {reclaim: {idleMinutes: 120, minimumAgeMinutes: 150}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose work can be taken that young."""
    if fleet.governance.reclaim.mode is ReclaimMode.OFF:
        return
    for pool in fleet.task_pools:
        idle = pool.idle
        if idle.enabled and idle.minimum_age_minutes < idle.idle_minutes:
            paths = [(*idle.path, key) for key in ("minimumAgeMinutes", "idleMinutes")]
            own = next((path for path in paths if written(fleet, path)), None)
            yield DOC.found(
                f"`{pool.name}` looks at {idle.idle_minutes} min of work that may be {idle.minimum_age_minutes} min old",
                at=fleet.places.value(own) if own else fleet.places.key(pool.path),
            )
