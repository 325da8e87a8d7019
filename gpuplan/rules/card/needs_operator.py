"""AMD's cards in a pool whose node agents gpuplan would have to run itself.

With `stack: manual` gpuplan renders agents for NVIDIA's cards. For AMD's it renders the DeviceConfig of AMD's GPU
Operator, which brings the device plugin, the exporter and the device config manager; without an operator these nodes
would offer no resource at all, and every pod that Kueue admits for them would stay Pending. The cards of Intel and
Huawei are offered by their vendors' own charts on every stack (`card/vendor-agents-expected`).

Source: ROCm/gpu-operator.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="card/needs-operator",
    severity=Severity.ERROR,
    summary="AMD's cards on a stack that has no agents for them",
    why="gpuplan renders no agents for AMD's cards but by AMD's GPU Operator: these nodes would offer no resource.",
    fix="Write `stack: operator` in the pool, or `stack: external` where others run AMD's agents.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: manual}\nnodePools:\n  a: {cluster: eu, card: mi300x}",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: manual}\nnodePools:\n  a: {cluster: eu, card: mi300x, stack: operator}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of AMD's cards that would get no agent."""
    for cluster, pool in pools(fleet):
        if pool.stack == "manual" and pool.card.vendor is Vendor.AMD:
            yield DOC.found(
                f"Pool `{pool.name}` in cluster `{cluster.name}` has `{pool.card.name}` on `stack: manual`, "
                "which has no agents for AMD's cards",
                at=point(fleet, (*pool.path, "stack")),
            )
