"""A value that the chart dcgm-exporter does not read.

Helm gives a chart whatever values there are and complains about none: what no template names has no effect.

Source: NVIDIA/dcgm-exporter, deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import unknown_values

DOC = RuleDoc(
    id="mon/unknown-value-key",
    severity=Severity.ERROR,
    summary="A value that the chart dcgm-exporter does not read",
    why="Helm drops it without a word.",
    fix="Write a value that the chart reads.",
    bad="image: {repository: nvcr.io/nvidia/k8s/dcgm-exporter}\nserviceMonitor: {honorLabel: true}",
    good="image: {repository: nvcr.io/nvidia/k8s/dcgm-exporter}\nserviceMonitor: {honorLabels: true}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that has no effect."""
    for _, found in unknown_values(DOC, inventory, Format.EXPORTER_VALUES):
        yield found
