"""A driver that the GPU Operator is to install on nodes which usually come with one.

GPU nodes of AKS, EKS, GKE and Talos come with the provider's driver; two drivers do not go together, and the operator's fails
to start or unloads the other under running pods. Nodes without the driver can be had, and then this is accepted under
`suppress`.

Source: GPU Operator on AKS, EKS and GKE. Reports: NVIDIA/gpu-operator #525, #529.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/driver-of-provider",
    severity=Severity.WARNING,
    summary="A driver to install on nodes that usually come with one",
    why="Two drivers do not go together: the operator's fails to start, or takes the other away under running pods.",
    fix="Leave `preinstalled` out, or make the nodes without the driver and accept the finding under `suppress`.",
    bad="clusters:\n  eu: {distribution: aks, stack: operator}\nnodePools:\n  a: {driver: {preinstalled: false}}",
    good="clusters:\n  eu: {distribution: aks, stack: operator}\nnodePools:\n  a: {driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that has the operator install what the provider does."""
    for cluster in fleet.clusters:
        usual = fleet.catalog.distributions[cluster.distribution]
        for pool in cluster.operator_driver_pools if usual.driver_on_nodes else ():
            without = f" To have nodes without it, take {usual.without_driver}." if usual.without_driver else ""
            yield DOC.found(
                f"GPU nodes of {cluster.distribution} come with a driver, and the GPU Operator is to install another on pool "
                f"`{pool.name}`",
                at=point(fleet, (*pool.path, "driver", "preinstalled")),
                fix=f"Leave `preinstalled: false` out.{without}",
            )
