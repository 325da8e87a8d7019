"""A destination by name and by address at once.

Argo CD finds a cluster by its name or by the address of its API server, and refuses an Application that gives both: they could
be two clusters.

Source: Argo CD, validation of an Application's destination.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="cluster/destination-twice",
    severity=Severity.ERROR,
    summary="A destination by name and by address at once",
    why="Argo CD refuses an Application whose destination has both a name and a server: nothing of the cluster is synced.",
    fix="Keep one of the two.",
    bad="clusters:\n  eu: {kubernetes: '1.36', destination: {name: prod-eu, server: 'https://10.0.0.1:6443'}}",
    good="clusters:\n  eu: {kubernetes: '1.36', destination: {name: prod-eu}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster that gives both."""
    for cluster in fleet.clusters:
        if cluster.destination.name and cluster.destination.server:
            yield DOC.found(
                f"Cluster `{cluster.name}` is `{cluster.destination.name}` and `{cluster.destination.server}` to Argo CD",
                at=fleet.places.value((*cluster.path, "destination", "server")),
            )
