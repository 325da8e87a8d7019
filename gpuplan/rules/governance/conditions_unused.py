"""Conditions of healthy nodes that nothing judges by.

`controller: none` is the default: people or tools of their own set the taint, and no rule is rendered. Conditions beside it
look as if broken nodes were kept from new pods, and nothing of the kind happens.

Source: gpuplan, docs/node-health.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="governance/conditions-unused",
    severity=Severity.WARNING,
    summary="Conditions of healthy nodes that nothing judges by",
    why="Without a controller no rule is rendered from them, and a node with a broken GPU goes on taking new pods.",
    fix="Write `controller: nodeReadiness` where that controller runs, or remove the conditions.",
    bad="governance:\n  nodeHealth: {conditions: [{type: GpuHealthy}]}",
    good="governance:\n  nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where there are conditions and no cluster has the controller."""
    health = fleet.governance.node_health
    if health.conditions and not health.clusters:
        names = ", ".join(f"`{name}`" for name, _ in health.conditions)
        yield DOC.found(
            f"Nothing judges nodes by {names}: `controller` is `none`", at=point(fleet, (*health.path, "conditions"))
        )
