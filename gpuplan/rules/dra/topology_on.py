"""Claims on cards of a tier that has a Topology.

Kueue's topology-aware scheduling looks for room on nodes by what they list as allocatable. Devices of claims stand in
ResourceSlices, which it does not read: for a flavor with a Topology it finds no node for a job that claims cards, and the job
waits for ever. Every tier has a Topology down to the hostname unless it says `topology: off`.

Source: Kueue KEP-2941 ("does not work with Topology Aware Scheduling"); tried on 0.19.2: no such job is ever admitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/topology-on",
    severity=Severity.ERROR,
    summary="Claims on cards of a tier that has a Topology",
    why="Kueue does not see claimed devices on nodes: with a Topology no job that claims cards is ever admitted.",
    fix="Write `topology: off` on the tier. Then floors hold in cards, and not in whole nodes.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\nnodePools:\n  a: {tier: train, exposure: dra}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb], topology: 'off'}\nnodePools:\n  a: {tier: train, exposure: dra}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool whose tier has levels."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.tier.levels and pool.card.vendor is Vendor.NVIDIA:
                yield DOC.found(
                    f"Pool `{pool.name}` is claimed from, and its tier `{pool.tier.name}` has a Topology",
                    at=fleet.places.value((*pool.path, "exposure")),
                    also=(Related("the tier", point(fleet, (*pool.tier.path, "topology"))),),
                )
