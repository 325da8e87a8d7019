"""A value that the GPU Operator's chart does not read.

Helm gives a chart whatever values there are and complains about none: what no template names has no effect. Operands have no
affinity, node selector or tolerations of their own: node labels `nvidia.com/gpu.deploy.…` keep them off nodes, and
`daemonsets.tolerations` counts for all.

Source: NVIDIA/gpu-operator, deployments/gpu-operator. Reports: NVIDIA/aicr #982.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import unknown_values
from gpuplan.rules.operands import advice

DOC = RuleDoc(
    id="op/unknown-value-key",
    severity=Severity.ERROR,
    summary="A value that the GPU Operator's chart does not read",
    why="Helm drops it without a word.",
    fix="Write a value that the chart reads.",
    bad="devicePlugin: {enabled: true, nodeSelector: {pool: gpu}}",
    good="devicePlugin: {enabled: true}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that has no effect."""
    for stray, found in unknown_values(DOC, inventory, Format.OPERATOR_VALUES):
        yield replace(found, fix=advice(stray) or found.fix)
