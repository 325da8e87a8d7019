"""Claims on cards whose node agents the GPU Operator runs.

The operator runs one of two models in a cluster: ClusterPolicy with the device plugin, or GPUCluster with the DRA driver.
GPUCluster is a technology preview under nvidia.com/v1alpha1, works in new clusters only, and brings neither the MIG manager
nor GPU Feature Discovery, so that a pool could not move to it and back. gpuplan renders ClusterPolicy alone. Beside it, the
DRA driver is installed by its own chart on nodes that the operator leaves alone.

Source: NVIDIA GPU Operator 26.7, "GPUCluster Custom Resource Reference" and "DRA Driver for NVIDIA GPUs".
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="dra/not-with-operator",
    severity=Severity.ERROR,
    summary="Claims on cards whose node agents the GPU Operator runs",
    why="A cluster has either ClusterPolicy (device plugin) or GPUCluster (claims, a preview for new clusters); gpuplan renders "
    "the former, whose device plugin would give the same cards away beside the DRA driver.",
    fix="Write `stack: manual` on this pool: its other agents are then gpuplan's, and the DRA driver comes by its own chart.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: operator}\nnodePools:\n  a: {exposure: dra}",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: operator}\nnodePools:\n  a: {exposure: dra, stack: manual}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that claims cards of the operator."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.stack == "operator" and pool.card.vendor is Vendor.NVIDIA:
                own = (*pool.path, "stack")
                said = own if written(fleet, own) else (*cluster.path, "stack")
                yield DOC.found(
                    f"Pool `{pool.name}` is claimed from, and the GPU Operator of cluster `{cluster.name}` runs its agents",
                    at=fleet.places.value((*pool.path, "exposure")),
                    also=(Related("the operator is chosen here", point(fleet, said)),),
                )
