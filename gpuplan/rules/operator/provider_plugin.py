"""A provider's own device plugin beside the GPU Operator's.

GKE runs its device plugin on every GPU node, whoever else runs one there. Both then offer the same cards to the kubelet under one
name, and the last to register wins, with its own idea of sharing. A label on the node keeps the provider's away; it has to be
there when the node is made.

Source: NVIDIA GPU Operator with Google GKE (`gke-no-default-nvidia-gpu-device-plugin`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import offered_by_plugin
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/provider-plugin",
    severity=Severity.WARNING,
    summary="A provider's own device plugin beside the GPU Operator's",
    why="Both offer the same cards under one name, and the last to register wins, with its own idea of sharing.",
    fix="Make the nodes with the label that keeps the provider's device plugin away, and select the pool by it.",
    bad="clusters:\n  eu: {distribution: gke, stack: operator}\nnodePools:\n  a: {selectedBy: {labels: {card: l4}}}",
    good="clusters:\n  eu: {distribution: gke, stack: operator}\nnodePools:\n"
    "  a: {selectedBy: {labels: {card: l4, gke-no-default-nvidia-gpu-device-plugin: 'true'}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of the operator that the provider's plugin is not said to be kept off."""
    for cluster in fleet.clusters:
        usual = fleet.catalog.distributions[cluster.distribution]
        for pool in cluster.operator_pools if usual.plugin_on_nodes else ():
            if offered_by_plugin(pool) and (usual.plugin_off_label, "true") not in pool.selection.labels:
                yield DOC.found(
                    f"On nodes of pool `{pool.name}` the device plugin of {cluster.distribution} runs as well, unless they carry "
                    f'`{usual.plugin_off_label}: "true"`',
                    at=point(fleet, (*pool.path, "selectedBy")),
                )
