"""A pool found by NFD whose card has no confirmed PCI id.

NFD finds cards by their PCI device id. Where the catalogue knows none, the rule falls back to the maker and fits every
card of that vendor: right in a cluster that has no other, as the message says. Where the id is known from memory only,
a wrong one would find no node at all.

Source: PCI ids in the open-gpu-kernel-modules README; the rest is unchecked.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool, SelectedBy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="nfd/card-without-pci-id",
    severity=Severity.WARNING,
    summary="An NFD pool whose card has no confirmed PCI id",
    why="NFD finds cards by PCI id. Without one its rule fits every card of the maker; with a wrong one it fits none.",
    fix="Narrow the pool with `nodeNames`, or select it by labels or a provisioner.",
    bad="nodePools:\n  a: {card: mi300x, selectedBy: {nfd: {}}}",
    good="nodePools:\n  a: {card: mi300x, selectedBy: {nfd: {nodeNames: ['mi300-.*']}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each NFD pool that rests on an unknown or unchecked id."""
    for _, pool in pools(fleet):
        if pool.selection.by is SelectedBy.NFD:
            trouble = _trouble(pool)
            if trouble:
                yield DOC.found(
                    f"Pool `{pool.name}`: {trouble}",
                    at=point(fleet, (*pool.path, "selectedBy", "nfd")),
                    fix=None if pool.card.pci_ids == () else "Compare it with `lspci -nn` on one of the nodes.",
                )


def _trouble(pool: NodePool) -> str:
    if not pool.card.pci_ids:
        named = pool.selection.node_names
        maker = pool.card.vendor.value
        return (
            ""
            if named
            else f"`{pool.card.name}` has no known PCI id, so its NFD rule fits every card of vendor {maker}"
        )
    if pool.card.is_checked("pci_ids"):
        return ""
    return f"the PCI id {', '.join(pool.card.pci_ids)} of `{pool.card.name}` is not confirmed"
