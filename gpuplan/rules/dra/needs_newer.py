"""Claims where Kubernetes or Kueue is too old for them.

gpuplan writes resource.k8s.io/v1, which Kubernetes serves since 1.34. Kueue counts claims of that version by the classes in
its configuration; its code was read from 0.17 on.

Source: Kubernetes 1.34 (DynamicResourceAllocation GA); Kueue 0.17.1 and 0.19.2, pkg/dra.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.versions import required

DOC = RuleDoc(
    id="dra/needs-newer",
    severity=Severity.ERROR,
    summary="Claims where Kubernetes or Kueue is too old for them",
    why="An older server does not know resource.k8s.io/v1 and refuses every class and template; an older Kueue may not count.",
    fix="Use Kubernetes 1.34 or newer with a release that goes with it, or write `exposure: devicePlugin`.",
    bad="clusters:\n  eu: {kubernetes: '1.33', release: '2026.05'}\nnodePools:\n  a: {exposure: dra}",
    good="clusters:\n  eu: {kubernetes: '1.36', release: '2026.08'}\nnodePools:\n  a: {exposure: dra}",
)

FIRST_KUBERNETES = required("1.34")
FIRST_KUEUE_READ = required("0.17")


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool of a cluster that is too old, an error only where the server would refuse."""
    for cluster in fleet.clusters:
        old = cluster.kubernetes < FIRST_KUBERNETES
        if not old and cluster.kueue.version >= FIRST_KUEUE_READ:
            continue
        for pool in dra_pools(cluster):
            yield DOC.found(
                f"Pool `{pool.name}` needs Kubernetes {FIRST_KUBERNETES} and Kueue {FIRST_KUEUE_READ}, and cluster "
                f"`{cluster.name}` has Kubernetes {cluster.kubernetes} and Kueue {cluster.kueue.version}",
                at=fleet.places.value((*pool.path, "exposure")),
                severity=None if old else Severity.WARNING,
            )
