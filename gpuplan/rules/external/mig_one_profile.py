"""A MIG layout of several profiles where the distribution cuts all cards of a node pool into one.

GKE (`gpu-partition-size`) and AKS (`--gpu-instance-profile`) take one profile when a node pool is made, and cut every card of
it into as many instances as fit. Mixed layouts, groups of cards and layouts that leave slices over are not to be had there.

Source: Google Kubernetes Engine, GPU sharing strategies; Azure Kubernetes Service, multi-instance GPU node pools.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.provided import external
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="external/mig-one-profile",
    severity=Severity.WARNING,
    summary="A MIG layout that the distribution does not make",
    why="It cuts all cards of a node pool into one profile, so no node will offer the others.",
    fix="Make a node pool for each profile, and name one in each.",
    bad="clusters:\n  eu: {distribution: aks, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {mig: {profiles: {1g.5gb: 4, 3g.20gb: 1}}}}",
    good="clusters:\n  eu: {distribution: aks, stack: external}\n"
    "nodePools:\n  lab: {cluster: eu, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each external pool with more than one cut where there can be one only."""
    for cluster, pool, provided in external(fleet):
        cuts = _cuts(pool)
        if pool.sharing.mode is SharingMode.MIG and provided.one_profile and len(cuts) > 1:
            yield DOC.found(
                f"Pool `{pool.name}` has {listed(cuts)}, and {cluster.distribution} cuts all cards of a node pool alike",
                at=point(fleet, mig_path(pool)),
                detail=f"{DOC.why} See {provided.source}.",
            )


def _cuts(pool: NodePool) -> list[str]:
    """Return the profiles of the pool, and `whole` where some cards are not cut."""
    names = {profile for group in pool.sharing.groups for profile, _ in group.profiles}
    whole = {"whole cards"} if any(not group.profiles for group in pool.sharing.groups) else set()
    return [*sorted(names), *whole]
