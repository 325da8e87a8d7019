"""A condition of a node that is named twice.

The node readiness controller keeps the conditions of a rule by their type, and the API server refuses a rule that names one
type twice. Nobody could say, either, which of two statuses is that of a healthy node.

Source: node-readiness-controller, NodeReadinessRule v1alpha1 (conditions are a map by type).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="governance/condition-twice",
    severity=Severity.ERROR,
    summary="A condition of a node that is named twice",
    why="The API server refuses a rule that names a condition twice, and no node of the fleet is judged.",
    fix="Name each condition once, with its status on a healthy node.",
    bad="governance:\n  nodeHealth:\n    controller: nodeReadiness\n"
    "    conditions: [{type: GpuHealthy}, {type: GpuHealthy, healthyWhen: false}]",
    good="governance:\n  nodeHealth:\n    controller: nodeReadiness\n"
    "    conditions: [{type: GpuHealthy}, {type: GpuMissing, healthyWhen: false}]",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each condition that stood in the list before."""
    health = fleet.governance.node_health
    path = (*health.path, "conditions")
    for index, first in repeats(name for name, _ in health.conditions):
        name, _ = health.conditions[index]
        yield DOC.found(
            f"Condition `{name}` is named twice",
            at=fleet.places.value((*path, index, "type")),
            also=(Related("first named here", fleet.places.value((*path, first, "type"))),),
        )
