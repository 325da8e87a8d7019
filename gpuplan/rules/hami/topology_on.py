"""HAMi on cards of a tier that has a Topology.

Kueue's topology-aware scheduling compares all that a pod asks for with what nodes list as allocatable. Memory and cores of a
card (`nvidia.com/gpumem`, `nvidia.com/gpucores`) are known to HAMi's scheduler alone and stand on no node: with a Topology no
job that asks for them is ever admitted. Every tier has a Topology down to the hostname unless it says `topology: off`.

Source: tried on Kueue 0.19.2: `excluded: resource "nvidia.com/gpumem"` for every node.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="hami/topology-on",
    severity=Severity.ERROR,
    summary="HAMi on cards of a tier that has a Topology",
    why="Kueue finds `nvidia.com/gpumem` on no node: with a Topology no job that asks for a part of a card is ever admitted.",
    fix="Write `topology: off` on the tier.",
    bad="cardTiers:\n  desk: {cards: [t4]}\nnodePools:\n  a: {tier: desk, sharing: {hami: {split: 4}}}",
    good="cardTiers:\n  desk: {cards: [t4], topology: 'off'}\nnodePools:\n  a: {tier: desk, sharing: {hami: {split: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose tier has levels."""
    for _, pool in hami_pools(fleet):
        if pool.tier.levels:
            yield DOC.found(
                f"Pool `{pool.name}` is shared by HAMi, and its tier `{pool.tier.name}` has a Topology",
                at=fleet.places.key(sharing_path(pool)),
                also=(Related("the tier", point(fleet, (*pool.tier.path, "topology"))),),
            )
