"""Two clusters of the spec that are one for Argo CD.

Each cluster of the spec gets an Application of its own, bound to a destination. Two with one destination sync into the same API
server: each takes the other's queues and agents for its own, changes them back and prunes what it does not know.

Source: Argo CD, Application destination; shared resources between applications.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="cluster/same-destination",
    severity=Severity.ERROR,
    summary="Two clusters with one destination",
    why="Two Applications would sync different fleets into one API server, and undo each other's changes for ever.",
    fix="Give each cluster its own destination.",
    bad="clusters:\n  eu: {kubernetes: '1.36', destination: {name: prod}}\n  us: {kubernetes: '1.36', destination: {name: prod}}",
    good="clusters:\n  eu: {kubernetes: '1.36', destination: {name: prod-eu}}\n"
    "  us: {kubernetes: '1.36', destination: {name: prod-us}}",
)

OWN_CLUSTER = {"https://kubernetes.default.svc": "in-cluster"}
"""Address of the cluster that Argo CD runs in, and the name by which it knows it."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose destination an earlier one has."""
    first: dict[str, Cluster] = {}
    for cluster in fleet.clusters:
        address = cluster.destination.server.rstrip("/")
        destination = OWN_CLUSTER.get(address, address) or cluster.destination.name
        other = first.setdefault(destination, cluster)
        if other is not cluster:
            yield DOC.found(
                f"Clusters `{other.name}` and `{cluster.name}` are both synced to `{destination}`",
                at=point(fleet, (*cluster.path, "destination")),
                also=(Related("the first of them", point(fleet, (*other.path, "destination"))),),
            )
