"""A Kubernetes version that the support matrix does not list for the cluster's operating system.

The matrix pairs each system with the Kubernetes minors that NVIDIA tests on it. Red Hat CoreOS follows OpenShift and is
behind the others. The finding stays silent where the Kubernetes version is outside the release as well, which
is then the one thing to say.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import release, system
from gpuplan.rules.judgement import Verdict
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="cluster/os-kubernetes",
    severity=Severity.WARNING,
    summary="A Kubernetes version that is not tested on the operating system",
    why="NVIDIA tests each system with certain Kubernetes minors; with others nobody says that the stack works.",
    fix="Choose a Kubernetes version of that range, or another operating system.",
    bad="clusters:\n  eu: {kubernetes: '1.36', distribution: openshift, os: rhcos, containerRuntime: cri-o}",
    good="clusters:\n  eu: {kubernetes: '1.35', distribution: openshift, os: rhcos, containerRuntime: cri-o}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose system is not tested with its Kubernetes version."""
    for cluster in fleet.clusters:
        judged = system(fleet, cluster)
        if judged.verdict is Verdict.WARN and release(cluster).verdict is Verdict.OK:
            yield DOC.found(
                f"`{cluster.os}` is {judged.known}, not {cluster.kubernetes}",
                at=point(fleet, (*cluster.path, "kubernetes")),
                also=(Related("the operating system", point(fleet, (*cluster.path, "os"))),),
            )
