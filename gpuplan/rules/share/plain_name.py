"""Shares that are offered under the name of a whole card.

With `renameByDefault: false` the device plugin offers shares as `nvidia.com/gpu`. A pod that asks for 1 cannot tell a
card from a quarter of one, dashboards and quotas that count `nvidia.com/gpu` add up the two, and the node's product
label gets the suffix `-SHARED`, so that selectors on the plain product match nothing. gpuplan counts such shares as a
unit of their own and never lets a task pool fall back between them and whole cards. It is silent where a distribution's own
device plugin knows no other name.

Source: NVIDIA k8s-device-plugin, renameByDefault. Report: hobbyist-guide-to-rhoai #31 (product label).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import produced_resources
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.provided import keeps_plain_names
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="share/plain-name",
    severity=Severity.WARNING,
    summary="Shares under the name of a whole card",
    why="A pod that asks for one `nvidia.com/gpu` cannot tell a card from a share of it, and sums over the name mix both.",
    fix="Leave `renameByDefault` out: the shares are then `nvidia.com/gpu.shared`.",
    bad="nodePools:\n  lab: {sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}",
    good="nodePools:\n  lab: {sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared pool that keeps the plain name."""
    for cluster, pool in pools(fleet):
        if pool.sharing.shared and not pool.sharing.renamed and not keeps_plain_names(fleet, cluster, pool):
            made = produced_resources(pool)[0]
            shares = f"{made.per_node or 'all its'} shares a node"
            summary = f"Pool `{pool.name}` offers {shares} as `{made.resource}`, the name of whole cards"
            yield DOC.found(summary, at=point(fleet, (*sharing_path(pool), "renameByDefault")))
