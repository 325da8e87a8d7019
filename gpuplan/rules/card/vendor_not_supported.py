"""Cards of another vendor in a cluster whose node agents gpuplan renders.

With `stack: manual` gpuplan renders NVIDIA's device plugin, GPU Feature Discovery, MIG manager and DCGM exporter, and
nothing for other vendors. The nodes of such a pool would offer no resource at all, and every pod that Kueue admits for
them would stay Pending. Where others install the vendor's stack (`stack: external`), gpuplan governs these cards like
any other: flavors, queues, quotas and guard rails.

Source: each vendor has a device plugin, an exporter and labels of its own (AMD GPU Operator, Intel device plugins,
MindCluster).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="card/vendor-not-supported",
    severity=Severity.ERROR,
    summary="Cards of another vendor in a cluster whose node agents gpuplan renders",
    why="gpuplan renders node agents for NVIDIA cards only: these nodes would offer no resource, and pods would stay Pending.",
    fix="Install the vendor's stack by other means and say `stack: external` for a cluster of these cards.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: manual}\ncardTiers:\n  amd: {cards: [mi300x]}",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: external}\ncardTiers:\n  amd: {cards: [mi300x]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of another vendor's cards that would get no agent."""
    for cluster, pool in pools(fleet):
        if pool.stack != "external" and pool.card.vendor is not Vendor.NVIDIA:
            summary = (
                f"Pool `{pool.name}` has `{pool.card.name}` ({pool.card.vendor.value}) in cluster `{cluster.name}`, "
                f"whose stack is `{pool.stack}`"
            )
            yield DOC.found(summary, at=point(fleet, (*pool.path, "card")))
