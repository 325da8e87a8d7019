"""MPS on a card that has none.

MPS is NVIDIA's, and the device plugin offers it on cards from Volta on (compute capability 7.0). On others no daemon
starts and the node offers nothing.

Source: NVIDIA MPS documentation; k8s-device-plugin (label mps.capable).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.vendors import other_way
from gpuplan.rules.walk import graded, pools

VOLTA = versions.required("7.0")

DOC = RuleDoc(
    id="share/mps-on-unsupported-card",
    severity=Severity.ERROR,
    summary="MPS on a card that does not have it",
    why="MPS exists on NVIDIA cards from Volta on. Elsewhere its daemon does not start and the node offers no resource.",
    fix="Write `sharing: exclusive`, or take another card.",
    bad="nodePools:\n  lab: {card: mi210, sharing: {mps: {replicas: 4}}}",
    good="nodePools:\n  lab: {card: mi210, sharing: exclusive}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that shares an unsupported card by MPS."""
    for _, pool in pools(fleet):
        if pool.sharing.mode is SharingMode.MPS and not _has_mps(pool.card):
            yield DOC.found(
                f"Pool `{pool.name}` shares `{pool.card.name}` by MPS, which that card does not have",
                at=fleet.places.key(sharing_path(pool)),
                fix=None if pool.card.vendor is Vendor.NVIDIA else other_way(fleet, pool.card),
                severity=graded(known=pool.card.is_checked("compute_capability")),
            )


def _has_mps(card: Card) -> bool:
    """Tell whether the card can run MPS; one of unknown capability can."""
    modern = card.compute_capability is None or card.compute_capability >= VOLTA
    return card.vendor is Vendor.NVIDIA and modern
