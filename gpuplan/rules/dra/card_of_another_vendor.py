"""Claims on cards that are not NVIDIA's.

gpuplan writes device classes for NVIDIA's DRA driver, by the attributes that it publishes. The drivers of other vendors
publish others under names of their own, so that no device would ever be in a class of ours.

Source: kubernetes-sigs/dra-driver-nvidia-gpu and ROCm/k8s-gpu-dra-driver: driver names and attributes.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="dra/card-of-another-vendor",
    severity=Severity.ERROR,
    summary="Claims on cards that are not NVIDIA's",
    why="gpuplan's device classes select devices of NVIDIA's driver: no claim on another vendor's card would ever be met.",
    fix="Write `exposure: devicePlugin`.",
    bad="nodePools:\n  a: {card: mi300x, exposure: dra}",
    good="nodePools:\n  a: {card: mi300x, exposure: devicePlugin}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of another vendor's cards that pods shall claim."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.card.vendor is not Vendor.NVIDIA:
                yield DOC.found(
                    f"Pool `{pool.name}` has `{pool.card.name}` ({pool.card.vendor.value}), which no claim of ours can reach",
                    at=fleet.places.value((*pool.path, "exposure")),
                )
