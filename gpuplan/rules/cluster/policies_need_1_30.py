"""A cluster that is too old for the admission policies that gpuplan renders.

Priority bands and guard rails are ValidatingAdmissionPolicies of `admissionregistration.k8s.io/v1`, which Kubernetes serves
since 1.30. An older API server refuses them, and without the band policy any job could claim the priority of
guaranteed work.

Source: Kubernetes 1.30 release notes (ValidatingAdmissionPolicy is generally available).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

FIRST = versions.required("1.30")

DOC = RuleDoc(
    id="cluster/policies-need-1-30",
    severity=Severity.ERROR,
    summary="A Kubernetes version without admission policies",
    why="gpuplan enforces priority bands and guard rails by ValidatingAdmissionPolicy v1, which an older API server refuses.",
    fix="Upgrade the cluster to Kubernetes 1.30 or newer.",
    bad="clusters:\n  eu: {kubernetes: '1.29'}",
    good="clusters:\n  eu: {kubernetes: '1.36'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster below 1.30."""
    for cluster in fleet.clusters:
        if cluster.kubernetes.minor < FIRST.minor:
            summary = f"Cluster `{cluster.name}` runs Kubernetes {cluster.kubernetes}, before ValidatingAdmissionPolicy v1 (1.30)"
            yield DOC.found(summary, at=point(fleet, (*cluster.path, "kubernetes")))
