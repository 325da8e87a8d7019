"""A container runtime that the support matrix does not list for the cluster's operating system.

Red Hat CoreOS runs CRI-O only; on Ubuntu 26.04 NVIDIA tests containerd only. With the wrong runtime named here, the runtime
classes and socket paths of the rendered agents do not meet what runs on the node.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import runtime
from gpuplan.rules.judgement import Verdict
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="cluster/runtime-not-on-os",
    severity=Severity.WARNING,
    summary="A container runtime that is not tested on the operating system",
    why="NVIDIA tests its container toolkit with certain runtimes on each system; with others pods may not see their cards.",
    fix="Write the runtime that the nodes really run.",
    bad="clusters:\n  eu: {kubernetes: '1.35', os: rhcos, containerRuntime: containerd}",
    good="clusters:\n  eu: {kubernetes: '1.35', os: rhcos, containerRuntime: cri-o}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose runtime is not listed for its system."""
    for cluster in fleet.clusters:
        if runtime(fleet, cluster).verdict is not Verdict.WARN:
            continue
        system = fleet.catalog.compat.operating_systems[cluster.os]
        yield DOC.found(
            f"`{cluster.os}` is tested with {listed(system.runtimes)}, not with `{cluster.container_runtime}`",
            at=point(fleet, (*cluster.path, "containerRuntime")),
            also=(Related("the operating system", point(fleet, (*cluster.path, "os"))),),
            fix=f"Write `containerRuntime: {system.runtimes[0]}` if that is what the nodes run.",
        )
