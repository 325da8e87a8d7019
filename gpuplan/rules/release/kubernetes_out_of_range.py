"""A Kubernetes version outside the range of the cluster's release.

A release is a set of component versions that were tested together on a range of Kubernetes minors. Below the range a
component may call an API that the server does not have, and crash; that is an error. Above it nobody has tried, which is
a warning, as everything is where the release's own range is unchecked.

Source: the catalogue's releases, put together from the GPU Operator's platform support and Kueue's test matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import graded, listed, point

DOC = RuleDoc(
    id="release/kubernetes-out-of-range",
    severity=Severity.ERROR,
    summary="A Kubernetes version outside the range of the release",
    why="The release's components were tested together on that range; on an older API server they may miss an API and crash.",
    fix="Choose a release for this Kubernetes version, or upgrade the cluster.",
    bad="clusters:\n  eu: {kubernetes: '1.31', release: '2026.08'}",
    good="clusters:\n  eu: {kubernetes: '1.36', release: '2026.08'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster outside its release's range."""
    for cluster in fleet.clusters:
        tested = cluster.release.kubernetes
        if cluster.kubernetes in tested:
            continue
        too_old = cluster.kubernetes.minor < tested.minimum.minor
        yield DOC.found(
            f"Release {cluster.release.name} is for Kubernetes {tested}, and cluster `{cluster.name}` runs {cluster.kubernetes}",
            at=point(fleet, (*cluster.path, "kubernetes")),
            also=(Related("the release", point(fleet, (*cluster.path, "release"))),),
            fix=_fix(fleet, cluster),
            severity=graded(known=too_old and "kubernetes" not in cluster.release.unchecked),
        )


def _fix(fleet: Fleet, cluster: Cluster) -> str:
    """Name the releases that would do."""
    fitting = [name for name, release in fleet.catalog.releases.items() if cluster.kubernetes in release.kubernetes]
    return f"Write release {listed(fitting, 'or')}, or change the cluster's version." if fitting else DOC.fix
