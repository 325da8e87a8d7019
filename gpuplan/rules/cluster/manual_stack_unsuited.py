"""gpuplan's own agents where they do not do well.

`stack: manual` needs the driver and the container toolkit on the node, at their usual places. GKE keeps the driver in a folder
of its own, has no toolkit, and runs a device plugin that offers the same resources; OpenShift's nodes take driver and toolkit
as containers of the GPU Operator only. The agents would start and see no card.

Source: NVIDIA GPU Operator with Google GKE; NVIDIA GPU Operator on OpenShift.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="cluster/manual-stack-unsuited",
    severity=Severity.WARNING,
    summary="A distribution on which gpuplan's own agents see no card",
    why="They take the driver and the container toolkit from where they usually lie on a node.",
    fix="Say `stack: operator`, or `stack: external` where the distribution's own stack runs the cards.",
    bad="clusters:\n  eu: {kubernetes: '1.36', distribution: gke, stack: manual}",
    good="clusters:\n  eu: {kubernetes: '1.36', distribution: gke, stack: external}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with manual pools on such a distribution."""
    for cluster in fleet.clusters:
        provided = fleet.catalog.provided.get(cluster.distribution)
        pools = cluster.pools_on("manual", Vendor.NVIDIA)
        if provided is not None and provided.manual_trouble and pools:
            yield DOC.found(
                f"On {cluster.distribution} the agents of `stack: manual` see no card: {listed(pool.name for pool in pools)}",
                at=point(fleet, (*cluster.path, "distribution")),
                also=tuple(Related("a pool of that stack", fleet.places.key(pool.path)) for pool in pools[:1]),
                detail=f"{provided.manual_trouble}. See {fleet.catalog.distributions[cluster.distribution].source}.",
            )
