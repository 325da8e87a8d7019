"""A promise that leaves so many requests out that its alert could never fire.

The alert on a promise fires when requests are late so many times as often as promised: 14.4 times over an hour, 6 times over
six hours. Where a tenth of them may be late, even a model that answers nobody in time is late ten times as often, and no more.

Source: Google, the SRE workbook, alerting on objectives; gpuplan's alerts.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import FAST_BURN, SLOW_BURN
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="serving/objective-too-low",
    severity=Severity.WARNING,
    summary="A promise whose alert could never fire",
    why="Late requests would have to be more than all requests, so this alert is left out.",
    fix="Promise `94` percent or more, if need be within a longer time.",
    bad="taskPools:\n  chat: {serving: {engine: vllm, slo: {latencyMilliseconds: 1000, objectivePercent: 90}}}",
    good="taskPools:\n  chat: {serving: {engine: vllm, slo: {latencyMilliseconds: 2500, objectivePercent: 95}}}",
)

BURNS = {"InferenceLatencyBurnFast": FAST_BURN, "InferenceLatencyBurnSlow": SLOW_BURN}


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each promise without one of its alerts."""
    for pool, serving, engine in engines(fleet):
        if serving.slo is None or not engine.has_histograms:
            continue
        missing = [name for name, factor in BURNS.items() if not serving.slo.can_burn(factor)]
        if missing:
            late = f"{float(100 * serving.slo.budget):g} %"
            yield DOC.found(
                f"`{pool.name}` lets {late} of its requests be late: {listed(missing)} could never fire",
                at=point(fleet, (*serving.path, "slo", "objectivePercent")),
            )
