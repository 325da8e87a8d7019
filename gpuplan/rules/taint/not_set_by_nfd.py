"""A pool found by NFD whose taints NFD does not set.

gpuplan writes a pool's taints into its NodeFeatureRule only where the cluster's NFD applies them, which is off unless
its master runs with `-enable-taints`. Otherwise somebody else has to taint the nodes; until then work without cards
runs on them.

Source: Node Feature Discovery, NodeFeatureRule taints (off by default).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import SelectedBy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="taint/not-set-by-nfd",
    severity=Severity.WARNING,
    summary="Taints of a pool that nobody sets",
    why="NFD sets taints only where its master runs with -enable-taints; without it the nodes stay open to all work.",
    fix="Say `nfd: {taints: true}` for the cluster if its NFD sets taints, or see to it that the nodes join with them.",
    bad="clusters:\n  eu: {kubernetes: '1.36'}\n"
    "nodePools:\n  a: {selectedBy: {nfd: {}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
    good="clusters:\n  eu: {kubernetes: '1.36', nfd: {taints: true}}\n"
    "nodePools:\n  a: {selectedBy: {nfd: {}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tainted NFD pool of a cluster whose NFD sets no taints."""
    for cluster, pool in pools(fleet):
        if pool.selection.by is SelectedBy.NFD and pool.taints and not cluster.nfd_taints:
            names = listed(taint.key for taint in pool.taints)
            yield DOC.found(
                f"NFD of cluster `{cluster.name}` does not set taints, so nobody sets {names} of pool `{pool.name}`",
                at=point(fleet, (*pool.path, "taints")),
            )
