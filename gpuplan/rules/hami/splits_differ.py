"""Pools of one cluster that HAMi would split differently.

HAMi's chart has one `deviceSplitCount` for a cluster. Others can be set for single nodes by their names, which gpuplan does
not know. A pool with another split would offer another number of shares than its quota says.

Source: Project-HAMi/HAMi v2.10.0, charts/hami/values.yaml (devicePlugin.deviceSplitCount, nodeConfiguration).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools, split
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="hami/splits-differ",
    severity=Severity.ERROR,
    summary="Pools of one cluster that HAMi would split differently",
    why="HAMi's chart takes one split for all nodes: one of the pools would offer another number of shares than its quota.",
    fix="Write one split for all pools of a cluster that HAMi shares.",
    bad="nodePools:\n  a: {sharing: {hami: {split: 4}}}\n  b: {sharing: {hami: {split: 8}}}",
    good="nodePools:\n  a: {sharing: {hami: {split: 4}}}\n  b: {sharing: {hami: {split: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose split is not that of the first of its cluster."""
    first: dict[str, NodePool] = {}
    for cluster, pool in hami_pools(fleet):
        other = first.setdefault(cluster.name, pool)
        if split(other) != split(pool):
            yield DOC.found(
                f"Pool `{pool.name}` splits a card for {split(pool)} pods, and `{other.name}` of the same cluster for "
                f"{split(other)}",
                at=point(fleet, (*sharing_path(pool), "split")),
                also=(Related("the first", point(fleet, (*sharing_path(other), "split"))),),
            )
