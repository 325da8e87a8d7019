"""A component version that is known to break.

Kueue 0.19.0 crashes in a loop on clusters without `resource.k8s.io/v1` (Kubernetes before 1.34); while the visibility API of
Kueue 0.16.0 is down, Argo CD cannot read the cluster, and nothing is synced any more.

Source: kubernetes-sigs/kueue #13600, #8873.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import broken_components
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="release/known-bad-version",
    severity=Severity.ERROR,
    summary="A component version that is known to break",
    why="Others have run this version on such a cluster and seen it fail.",
    fix="Use another patch release, or remove the override so that the release's own version is used.",
    bad="clusters:\n  eu: {kubernetes: '1.33', components: {kueue: {version: v0.19.0}}}",
    good="clusters:\n  eu: {kubernetes: '1.33', components: {kueue: {version: v0.19.2}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each component of a cluster that the catalogue knows as broken there."""
    for cluster in fleet.clusters:
        for component, bad in broken_components(fleet, cluster):
            yield DOC.found(
                f"Cluster `{cluster.name}` runs {component.name} {component.version} on Kubernetes {cluster.kubernetes}: "
                f"{bad.summary}",
                at=point(fleet, (*cluster.path, "components", component.name, "version")),
                detail=f"{DOC.why} See {bad.source}.",
            )
