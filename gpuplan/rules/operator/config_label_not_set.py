"""A shared pool of the GPU Operator, selected by existing labels that lack the one which names its configuration.

The operator runs one device plugin for all nodes, and a node's label `nvidia.com/device-plugin.config` says which of its
configurations the node gets. For pools selected by `nfd` or a `provisioner` gpuplan renders that label; to nodes selected
by `labels` it writes nothing. Without the label the node gets the configuration of whole cards and offers no shares.
Where all pools of the operator share alike, that configuration is the default and no label is needed.

Source: NVIDIA k8s-device-plugin, config-manager; GPU Operator on time-slicing. Reports: NVIDIA/k8s-device-plugin #990, #321.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_DEVICE_PLUGIN_CONFIG
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import SelectedBy, agent_labels
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/config-label-not-set",
    severity=Severity.ERROR,
    summary="A shared pool of the GPU Operator whose nodes nobody labels with its configuration",
    why="The operator's device plugin reads from a label how a node shares its cards; without it the node offers whole cards.",
    fix="Select the pool by `nfd` or by a `provisioner`, or have the label set and list it under `selectedBy.labels`.",
    bad="nodePools:\n  a: {stack: operator, selectedBy: {labels: {pool: a}}, sharing: {timeSlicing: {replicas: 4}}}",
    good="nodePools:\n  a: {stack: operator, selectedBy: {nfd: {}}, sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared pool whose labels lack that of its configuration."""
    for cluster in fleet.clusters:
        if _all_share_alike(cluster):
            continue
        for pool in cluster.operator_pools:
            value = agent_labels(pool).get(LABEL_DEVICE_PLUGIN_CONFIG)
            if value is None or pool.selection.by is not SelectedBy.LABELS:
                continue
            if (LABEL_DEVICE_PLUGIN_CONFIG, value) not in pool.selection.labels:
                label = f"{LABEL_DEVICE_PLUGIN_CONFIG}: {value}"
                yield DOC.found(
                    f"Nobody sets the label `{label}` by which the GPU Operator knows how pool `{pool.name}` shares its cards",
                    at=point(fleet, (*pool.path, "selectedBy", "labels")),
                    fix=f"Select the pool by `nfd` or a `provisioner`, or have its nodes labelled and add `{label}` here.",
                )


def _all_share_alike(cluster: Cluster) -> bool:
    return len({agent_labels(pool).get(LABEL_DEVICE_PLUGIN_CONFIG) for pool in cluster.operator_pools}) == 1
