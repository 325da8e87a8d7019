"""A cluster without node pools where releases are watched.

What is recorded and alerted on is rendered beside a cluster's GPU pools, into a namespace that is made for their agents. A
cluster without pools has neither, so that its controllers are not scraped.

Source: gpuplan's own rendering.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="monitoring/release-without-pools",
    severity=Severity.WARNING,
    summary="A cluster without node pools where releases are watched",
    why="Nothing is rendered for monitoring there: its release controller is not scraped and ReleaseFailing is not told.",
    fix="Watch it with the monitor of the controller's own chart, and remove the cluster here.",
    bad="monitoring: {releases: {argocd: [hub]}}   # no pool names the cluster hub",
    good="monitoring: {releases: {argocd: [prod-eu]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such cluster; the list is in the fleet's order, so the finding stands at the list."""
    empty = {cluster.name for cluster in fleet.clusters if not cluster.pools}
    watched = fleet.monitoring.releases
    for key, names in (("argocd", watched.argocd), ("rollouts", watched.rollouts)):
        for name in names:
            if name in empty:
                at = point(fleet, (*fleet.monitoring.path, "releases", key))
                yield DOC.found(f"Cluster `{name}` has no node pools, and its releases are not watched", at=at)
