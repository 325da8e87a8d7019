"""A reclaimer that watches nothing.

Guaranteed, stateful and online work is spared unless its task pool asks. Where nothing else is left, the reclaimer runs and
never has anything to do.

Source: gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="governance/reclaim-nothing",
    severity=Severity.INFO,
    summary="No task pool's idle work is reclaimed",
    why="Guaranteed, stateful and online work is spared unless its task pool says otherwise; what is left is nothing.",
    fix="Write `mode: 'off'`, or `reclaim: {enabled: true}` in the task pools that may lose idle work.",
    bad="taskPools:\n  pretrain: {kind: training, service: guaranteed, tiers: [train]}\n"
    "governance:\n  reclaim: {mode: suspend, image: registry.acme.io/gpuplan:0.1.0}",
    good="governance:\n  reclaim: {mode: 'off'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where a reclaimer is asked for and every task pool is spared."""
    said = fleet.governance.reclaim
    if said.mode is not ReclaimMode.OFF and not any(pool.idle.enabled for pool in fleet.task_pools):
        yield DOC.found(
            f"`mode: {said.mode.value}` finds no task pool whose idle work is reclaimed",
            at=point(fleet, (*said.path, "mode")),
        )
