"""A value that the chart nvidia-device-plugin does not read.

Helm gives a chart whatever values there are and complains about none: what no template names has no effect.

Source: NVIDIA/k8s-device-plugin, deployments/helm/nvidia-device-plugin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import unknown_values

DOC = RuleDoc(
    id="share/unknown-value-key",
    severity=Severity.ERROR,
    summary="A value that the chart nvidia-device-plugin does not read",
    why="Helm drops it without a word.",
    fix="Write a value that the chart reads.",
    bad="migStrategy: mixed\ndevicePlugin: {image: {tag: v0.20.0}}",
    good="migStrategy: mixed\nimage: {tag: v0.20.0}",
)
OF_THE_OPERATOR = {
    "config.create": "Remove it: the chart makes a ConfigMap where `config.map` holds something.",
    "config.data": "Here it is called `config.map`.",
    "mig": "Write `migStrategy`.",
}
"""What the GPU Operator's chart calls otherwise."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that has no effect."""
    for stray, found in unknown_values(DOC, inventory, Format.PLUGIN_VALUES):
        yield replace(found, fix=OF_THE_OPERATOR.get(stray.where, found.fix))
