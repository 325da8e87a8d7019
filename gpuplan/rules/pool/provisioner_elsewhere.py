"""A pool made by the provisioner of another platform.

`selectedBy.provisioner` decides in which tool's form gpuplan writes the labels and taints of the nodes. EKS node groups, GKE node
pools and Talos machine configurations exist on their own platforms only; the snippet would have no one to read it.

Source: the provisioners' own documentation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

OWN_PLATFORM = ("eks", "gke", "talos")
"""Provisioners that go with the distribution of the same name only."""

DOC = RuleDoc(
    id="pool/provisioner-elsewhere",
    severity=Severity.WARNING,
    summary="A pool made by the provisioner of another platform",
    why="The snippet with the pool's labels and taints has the form of a tool that this cluster does not have.",
    fix="Write the provisioner that makes the nodes, or the cluster's real `distribution`.",
    bad="clusters:\n  eu: {kubernetes: '1.36', distribution: kubeadm}\n"
    "nodePools:\n  a: {cluster: eu, selectedBy: {provisioner: gke}}",
    good="clusters:\n  eu: {kubernetes: '1.36', distribution: gke}\n"
    "nodePools:\n  a: {cluster: eu, selectedBy: {provisioner: gke}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose provisioner belongs to another distribution."""
    for cluster, pool in pools(fleet):
        provisioner = pool.selection.provisioner
        if provisioner in OWN_PLATFORM and provisioner != cluster.distribution:
            yield DOC.found(
                f"Pool `{pool.name}` is made by {provisioner}, and cluster `{cluster.name}` is {cluster.distribution}",
                at=fleet.places.value((*pool.path, "selectedBy", "provisioner")),
                also=(Related("the cluster", point(fleet, (*cluster.path, "distribution"))),),
            )
