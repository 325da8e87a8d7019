"""A value that the chart kueue does not read.

Helm gives a chart whatever values there are and complains about none: what no template names has no effect.

Source: kubernetes-sigs/kueue, charts/kueue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import unknown_values

DOC = RuleDoc(
    id="kueue/unknown-value-key",
    severity=Severity.ERROR,
    summary="A value that the chart kueue does not read",
    why="Helm drops it without a word.",
    fix="Write a value that the chart reads.",
    bad="enableKueueViz: false\ncontrollerManager: {replica: 2}",
    good="enableKueueViz: false\ncontrollerManager: {replicas: 2}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that has no effect."""
    for _, found in unknown_values(DOC, inventory, Format.KUEUE_VALUES):
        yield found
