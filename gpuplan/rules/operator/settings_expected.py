"""A GPU Operator installed by others, on whose settings the pools rest.

With `gpuOperator: {install: external}` gpuplan renders the ClusterPolicy `cluster-policy` and the NVIDIADrivers, and not the
operator. Its version decides which fields its CRDs have, and a default driver of the installation would match the nodes of all
pools. None of that can be seen from here.

Source: NVIDIA GPU Operator chart (driver.nvidiaDriverCRD.deployDefaultCR, nfd.enabled) and its OLM bundle.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import CLUSTER_POLICY
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/settings-expected",
    severity=Severity.INFO,
    summary="A GPU Operator installed by others, on whose settings the pools rest",
    why="Another version drops fields that its CRDs lack, and a default driver would match the nodes of every pool.",
    fix="Compare with the operator that runs there.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: operator, gpuOperator: external}",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: operator, gpuOperator: managed}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose operator others install."""
    for cluster in fleet.clusters:
        settings = cluster.gpu_operator
        if not settings.managed and cluster.has_operator:
            yield DOC.found(
                f"In cluster `{cluster.name}` GPU Operator {settings.version} must run in namespace `{settings.namespace}`, "
                "beside the cluster's own Node Feature Discovery, without a default driver, and with "
                f"`{CLUSTER_POLICY}` left to gpuplan",
                at=point(fleet, (*cluster.path, "gpuOperator")),
            )
