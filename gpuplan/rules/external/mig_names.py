"""MIG instances under names that the distribution's own device plugin does not offer.

With the strategy `mixed` each profile has a name of its own, `nvidia.com/mig-1g.5gb`. GKE's device plugin offers the instances
of a node as `nvidia.com/gpu`, whatever their profile, and tells the profile by a node label. That is the strategy `single`.

Source: Google Kubernetes Engine, GPU sharing strategies and multi-instance GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.provided import external
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="external/mig-names",
    severity=Severity.WARNING,
    summary="MIG instances under names that the distribution's device plugin does not offer",
    why="The nodes offer instances as `nvidia.com/gpu`; pods and queues that count them by profile wait for ever.",
    fix="Write `strategy: single`.",
    bad="clusters:\n  eu: {distribution: gke, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="clusters:\n  eu: {distribution: gke, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each external pool with named instances where the plugin has one name for all."""
    for cluster, pool, provided in external(fleet):
        counted = pool.exposure is Exposure.DEVICE_PLUGIN
        if counted and pool.sharing.strategy is MigStrategy.MIXED and provided.mig_names == "plain":
            yield DOC.found(
                f"The device plugin of {cluster.distribution} offers the instances of pool `{pool.name}` as `nvidia.com/gpu`",
                at=point(fleet, (*mig_path(pool), "strategy")),
                detail=f"{DOC.why} See {provided.source}.",
            )
