"""More taints on a flavor's pools than Kueue takes tolerations.

A ResourceFlavor has at most 8 tolerations, one for each different taint of its pools.

Source: Kueue ResourceFlavor, tolerations (at most 8).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

MOST = 8

DOC = RuleDoc(
    id="pool/too-many-tolerations",
    severity=Severity.ERROR,
    summary="More taints than a flavor may tolerate",
    why="Kueue takes at most 8 tolerations on a ResourceFlavor; the API server refuses more.",
    fix="Use fewer taints: one that keeps other work off the pool is enough.",
    bad="nodePools:\n  a: {taints: [{key: t1, effect: NoSchedule}, {key: t2, effect: NoSchedule}]}   # and seven more",
    good="nodePools:\n  a: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor above the limit, at the pool with most taints."""
    for cluster in fleet.clusters:
        for flavor in cluster.flavors:
            if len(flavor.tolerations) > MOST:
                pool = max(flavor.pools, key=lambda pool: len(pool.taints))
                names = listed(member.name for member in flavor.pools)
                yield DOC.found(
                    f"Flavor `{flavor.name}` would tolerate the {len(flavor.tolerations)} taints of {names}; Kueue takes {MOST}",
                    at=point(fleet, (*pool.path, "taints")),
                )
