"""A provider's own device plugin on nodes whose cards somebody else offers.

Some distributions run a device plugin on every GPU node, in their own namespace. Where pods claim the cards, or HAMi shares
them, that plugin gives the same cards away once more. A label on the node keeps it away, which has to be there when the node
is made.

Source: NVIDIA GPU Operator, "Google GKE" (`gke-no-default-nvidia-gpu-device-plugin`); NVIDIA/aicr #1327.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import DistributionNodes
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="dra/provider-plugin",
    severity=Severity.WARNING,
    summary="A provider's own device plugin on nodes whose cards somebody else offers",
    why="Two that offer the cards of one node know nothing of each other and give the same card away twice.",
    fix="Make the nodes with the label that keeps the provider's device plugin away, and select the pool by it.",
    bad="clusters:\n  eu: {kubernetes: '1.36', distribution: gke, stack: external}\n"
    "nodePools:\n  a: {exposure: dra, selectedBy: {labels: {card: h100}}}",
    good="clusters:\n  eu: {kubernetes: '1.36', distribution: gke, stack: external}\n"
    "nodePools:\n  a: {exposure: dra, selectedBy: {labels: {gke-no-default-nvidia-gpu-device-plugin: 'true'}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool on which the provider's plugin may run beside a DRA driver or HAMi."""
    for cluster, pool in pools(fleet):
        nodes = fleet.catalog.distributions.get(cluster.distribution)
        if nodes and _offered_otherwise(pool) and nodes.plugin_on_nodes and not _kept_away(pool, nodes):
            yield DOC.found(
                f"On nodes of pool `{pool.name}` the device plugin of `{cluster.distribution}` runs, unless they carry "
                f"`{nodes.plugin_off_label}: true`",
                at=point(fleet, (*pool.path, "selectedBy")),
            )


def _offered_otherwise(pool: NodePool) -> bool:
    return pool.exposure is Exposure.DRA or pool.sharing.mode is SharingMode.HAMI


def _kept_away(pool: NodePool, nodes: DistributionNodes) -> bool:
    return dict(pool.selection.labels).get(nodes.plugin_off_label) == "true"
