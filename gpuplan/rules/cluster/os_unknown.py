"""An operating system that is not in NVIDIA's support matrix.

The driver, its container images and the runtime are tested on a short list of systems, named as in the images' tags
(`ubuntu24.04`, `rhel9`). On others they may work; nobody says so. Most findings are a misspelling: `ubuntu-24.04`,
`rhel9.4`. Clusters where others run all agents are left alone, since gpuplan installs nothing on their nodes.

Source: GPU Operator platform support. Reports: NVIDIA/gpu-operator #690, #418, #1533.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import installed_by_us
from gpuplan.rules.walk import listed, point
from gpuplan.suggest import misspelt

DOC = RuleDoc(
    id="cluster/os-unknown",
    severity=Severity.WARNING,
    summary="An operating system that is not in the support matrix",
    why="Drivers and their images are tested on a short list of systems; outside it nobody says that the stack works.",
    fix="Write a system of the matrix, or accept the finding under `suppress`.",
    bad="clusters:\n  eu: {kubernetes: '1.36', os: ubuntu-24.04}",
    good="clusters:\n  eu: {kubernetes: '1.36', os: ubuntu24.04}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose system the catalogue does not know."""
    known = fleet.catalog.compat.operating_systems
    for cluster in fleet.clusters:
        if installed_by_us(cluster) and cluster.os not in known:
            guess = misspelt(cluster.os, known)
            yield DOC.found(
                f"Operating system `{cluster.os}` of cluster `{cluster.name}` is not in the support matrix",
                at=point(fleet, (*cluster.path, "os")),
                fix=f"Write `{guess}` if that is meant." if guess else f"Supported are {listed(known)}.",
            )
