"""Partitions on a card that has none, or none that are known.

AMD's MI300 and MI350 series can be partitioned; MI210, MI250X and the cards of other vendors cannot. The device config
manager would fail on such a node, while every queue counts devices that are not there. How many devices a card of the
fleet's own becomes is not known, so its quotas could not be right.

Source: AMD GPU Operator, device config manager; AMD's device plugin offers such cards as `amd.com/gpu` whatever is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="partition/card-without-partitions",
    severity=Severity.ERROR,
    summary="Partitions on a card that cannot be partitioned",
    why="The device config manager fails on such a node, while the queues count devices that are not there.",
    fix="Write `sharing: exclusive`, or take a card that can be partitioned.",
    bad="nodePools:\n  lab: {card: mi210, sharing: {partition: {compute: CPX}}}",
    good="nodePools:\n  lab: {card: mi300x, sharing: {partition: {compute: CPX}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that partitions a card without partitions."""
    known = fleet.catalog.cuts.partitions
    for _, pool in shared_by(fleet, SharingMode.PARTITION):
        if pool.card.name not in known:
            nvidia = pool.card.vendor is Vendor.NVIDIA
            yield DOC.found(
                f"Pool `{pool.name}` partitions `{pool.card.name}`, which has no partitions that are known",
                at=fleet.places.key(sharing_path(pool)),
                fix="Cut NVIDIA's cards by `mig`, or share them."
                if nvidia
                else f"Cards with partitions are {listed(known)}.",
            )
