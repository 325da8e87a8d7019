"""A value that the chart node-feature-discovery does not read.

Helm gives a chart whatever values there are and complains about none: what no template names has no effect.

Source: kubernetes-sigs/node-feature-discovery, deployment/helm/node-feature-discovery.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import unknown_values

DOC = RuleDoc(
    id="node/unknown-value-key",
    severity=Severity.ERROR,
    summary="A value that the chart node-feature-discovery does not read",
    why="Helm drops it without a word.",
    fix="Write a value that the chart reads.",
    bad="topologyUpdater: {enable: false}\nworker: {toleration: [{operator: Exists}]}",
    good="topologyUpdater: {enable: false}\nworker: {tolerations: [{operator: Exists}]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that has no effect."""
    for _, found in unknown_values(DOC, inventory, Format.NFD_VALUES):
        yield found
