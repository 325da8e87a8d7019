"""A taint that the distribution puts on its GPU nodes, and that the pool does not list.

GKE taints GPU nodes with `nvidia.com/gpu=present:NoSchedule` and lets pods tolerate it as they are made. Kueue looks before
that: with a Topology it counts only nodes whose taints a job or its flavor tolerates, so that jobs would wait for nodes that
are free. A taint in the pool becomes a toleration of its flavor. Nodes of a cluster without other nodes come without the taint.

Source: general knowledge of GKE; Kueue, topology-aware scheduling.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.provided import external
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="external/taint-unlisted",
    severity=Severity.INFO,
    summary="A taint of the distribution that the pool does not list",
    why="Its flavor then does not tolerate the taint, and Kueue finds no node for jobs that do not tolerate it themselves.",
    fix="List the taint under `taints` of the pool, if its nodes have it.",
    bad="clusters:\n  eu: {distribution: gke, stack: external}\nnodePools:\n  a: {cluster: eu}",
    good="clusters:\n  eu: {distribution: gke, stack: external}\n"
    "nodePools:\n  a: {cluster: eu, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each external pool without the taint that its distribution sets."""
    for cluster, pool, provided in external(fleet):
        if provided.taint and provided.taint not in {f"{one.key}={one.value}:{one.effect}" for one in pool.taints}:
            yield DOC.found(
                f"Pool `{pool.name}` does not list `{provided.taint}`, with which {cluster.distribution} taints GPU nodes",
                at=point(fleet, (*pool.path, "taints")),
            )
