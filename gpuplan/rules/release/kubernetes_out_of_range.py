"""A Kubernetes version outside the range of the cluster's release.

A release is a set of component versions that were put together for a range of Kubernetes minors, on which their projects
test them. Outside of it nobody has tried. What is known to break on an older server has rules of its own:
release/known-bad-version, release/kueue-kubernetes and cluster/policies-need-1-30.

Source: the catalogue's releases, put together from the GPU Operator's platform support and Kueue's test matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import release
from gpuplan.rules.judgement import Verdict
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="release/kubernetes-out-of-range",
    severity=Severity.WARNING,
    summary="A Kubernetes version outside the range of the release",
    why="The release's components are tested on that range only; on an older server they may miss an API.",
    fix="Choose a release for this Kubernetes version, or upgrade the cluster.",
    bad="clusters:\n  eu: {kubernetes: '1.31', release: '2026.08'}",
    good="clusters:\n  eu: {kubernetes: '1.36', release: '2026.08'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster outside its release's range."""
    for cluster in fleet.clusters:
        tested = cluster.release.kubernetes
        if release(cluster).verdict is Verdict.OK:
            continue
        yield DOC.found(
            f"Release {cluster.release.name} is for Kubernetes {tested}, and cluster `{cluster.name}` runs {cluster.kubernetes}",
            at=point(fleet, (*cluster.path, "kubernetes")),
            also=(Related("the release", point(fleet, (*cluster.path, "release"))),),
            fix=_fix(fleet, cluster),
        )


def _fix(fleet: Fleet, cluster: Cluster) -> str:
    """Name the releases that would do."""
    fitting = [name for name, one in fleet.catalog.releases.items() if cluster.kubernetes in one.kubernetes]
    return f"Write release {listed(fitting, 'or')}, or change the cluster's version." if fitting else DOC.fix
