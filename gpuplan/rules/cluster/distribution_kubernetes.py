"""A Kubernetes version that the support matrix does not list for the distribution.

NVIDIA tests its stack on kubeadm, RKE2, K3s and OpenShift within certain Kubernetes minors. OpenShift has numbers of
its own; the catalogue's translation of them to Kubernetes minors is unchecked. Distributions outside the matrix (EKS,
GKE, AKS, Talos) are not judged. Silent where the version is outside the release as well.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import distribution, release
from gpuplan.rules.judgement import Verdict
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="cluster/distribution-kubernetes",
    severity=Severity.WARNING,
    summary="A Kubernetes version that is not tested on the distribution",
    why="NVIDIA tests each distribution with certain Kubernetes minors; with others nobody says that the stack works.",
    fix="Choose a Kubernetes version of that range.",
    bad="clusters:\n  eu: {kubernetes: '1.36', distribution: openshift}",
    good="clusters:\n  eu: {kubernetes: '1.35', distribution: openshift}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose distribution is not tested with its Kubernetes version."""
    for cluster in fleet.clusters:
        judged = distribution(fleet, cluster)
        if judged.verdict is Verdict.WARN and release(cluster).verdict is Verdict.OK:
            yield DOC.found(
                f"`{cluster.distribution}` is {judged.known}, not {cluster.kubernetes}",
                at=point(fleet, (*cluster.path, "kubernetes")),
                also=(Related("the distribution", point(fleet, (*cluster.path, "distribution"))),),
            )
