"""Shares under a name that the distribution's own device plugin does not offer.

gpuplan counts shares as `nvidia.com/gpu.shared`, so that nobody takes one for a card. GKE's device plugin knows no such name:
with time-sharing or MPS the nodes offer more `nvidia.com/gpu`. The flavor would then have capacity that no node offers, and
its pods would stay Pending. Where another plugin serves the pool after all, the finding can be accepted under `suppress`.

Source: Google Kubernetes Engine, GPU sharing strategies.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.provided import external
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="external/plain-shares",
    severity=Severity.WARNING,
    summary="Shares under a name that the distribution's device plugin does not offer",
    why="The nodes offer shares as `nvidia.com/gpu`; pods and queues that count `nvidia.com/gpu.shared` wait for ever.",
    fix="Write `renameByDefault: false`, so that shares are counted under the name that the nodes offer.",
    bad="clusters:\n  eu: {distribution: gke, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {timeSlicing: {replicas: 4}}}",
    good="clusters:\n  eu: {distribution: gke, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each external pool whose shares are renamed where the plugin cannot."""
    for cluster, pool, provided in external(fleet):
        if pool.sharing.renamed and not provided.renames:
            yield DOC.found(
                f"The device plugin of {cluster.distribution} offers the shares of pool `{pool.name}` as `nvidia.com/gpu`",
                at=point(fleet, sharing_path(pool)),
                detail=f"{DOC.why} See {provided.source}.",
            )
