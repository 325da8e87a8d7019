"""More kinds of claimed devices than Kueue can count.

Kueue's configuration says by which resource the devices of a class are counted, for 16 resources at most. Whole cards are
one, and each MIG profile is one.

Source: Kueue 0.19.2, pkg/config/validation.go (deviceClassMappings).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import claimable, dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="dra/too-many-classes",
    severity=Severity.ERROR,
    summary="More kinds of claimed devices than Kueue can count",
    why="Kueue takes 16 entries in deviceClassMappings and refuses to start with more: then no queue works.",
    fix="Use fewer MIG profiles on claimed pools of one cluster.",
    bad="nodePools:   # claimed pools of several cards with 17 MIG profiles between them\n  a: {exposure: dra}",
    good="nodePools:   # 16 profiles at most, whole cards counted as one\n  a: {exposure: dra}",
)

MOST = 16


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with too many."""
    for cluster in fleet.clusters:
        units = claimable(cluster)
        if len(units) > MOST:
            yield DOC.found(
                f"Pods of cluster `{cluster.name}` claim {len(units)} kinds of devices; Kueue counts {MOST}",
                at=fleet.places.value((*dra_pools(cluster)[-1].path, "exposure")),
            )
