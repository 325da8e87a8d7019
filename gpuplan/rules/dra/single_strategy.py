"""MIG's strategy `single` on cards that pods claim.

The strategies say under which resource names the device plugin offers instances. Where pods claim devices there is no such
name: the driver publishes each instance with its profile, and the claim names the profile. The strategy changes nothing.

Source: kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0: attributes of MIG devices.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path

DOC = RuleDoc(
    id="dra/single-strategy",
    severity=Severity.WARNING,
    summary="MIG's strategy `single` on cards that pods claim",
    why="The strategy names resources of the device plugin, which is not there; instances are claimed by their profile anyway.",
    fix="Remove `strategy`, or write `mixed`.",
    bad="nodePools:\n  a: {exposure: dra, sharing: {mig: {profiles: {1g.10gb: 7}, strategy: single}}}",
    good="nodePools:\n  a: {exposure: dra, sharing: {mig: {profiles: {1g.10gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool with the strategy."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.sharing.strategy is MigStrategy.SINGLE:
                yield DOC.found(
                    f"Pool `{pool.name}` has strategy `single`, and pods claim its instances by profile",
                    at=fleet.places.value((*mig_path(pool), "strategy")),
                )
