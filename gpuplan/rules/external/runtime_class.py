"""A cluster where pods may see no card, since nobody says which runtime they get.

K3s and RKE2 find NVIDIA's container runtime on a node and make a RuntimeClass for it, but go on starting pods with runc. A pod
that asks for a card gets one, and does not see it, unless it names the class or the node's default runtime is changed. Where
gpuplan runs the agents it names the class in them; where others do, and for the pods of teams, the spec has to say how it is.

Source: K3s and RKE2 documentation, NVIDIA container runtime. Reports: NVIDIA/k8s-device-plugin #444, #478, #479.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.provided import external
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="external/runtime-class",
    severity=Severity.WARNING,
    summary="A cluster that does not say whether pods need `runtimeClassName: nvidia`",
    why="nvidia is not the default runtime there unless somebody makes it so: a pod without `runtimeClassName: nvidia` gets a "
    "card and does not see it.",
    fix="Write `nvidiaRuntime: {default: true}` where it is the default, else `{default: false}`, and have pods name the class.",
    bad="clusters:\n  eu: {distribution: k3s, stack: external}",
    good="clusters:\n  eu: {distribution: k3s, stack: external, nvidiaRuntime: {default: true}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with external pools on a distribution whose default runtime is runc."""
    for cluster in {cluster.name: cluster for cluster, _, _ in external(fleet)}.values():
        makes_class = fleet.catalog.distributions[cluster.distribution].makes_runtime_class
        if makes_class and not written(fleet, (*cluster.path, "nvidiaRuntime")):
            yield DOC.found(
                f"Cluster `{cluster.name}` ({cluster.distribution}) does not say whether nvidia is its default runtime",
                at=point(fleet, (*cluster.path, "distribution")),
            )
