"""Time slicing of another vendor's card.

`sharing.timeSlicing` is a setting of NVIDIA's device plugin and ends in the resource `nvidia.com/gpu.shared`. The plugins of
other vendors do not read it: the cards would be offered whole, under the vendor's name, while every queue counts
shares under NVIDIA's.

Source: NVIDIA k8s-device-plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.vendors import other_way
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="share/time-slicing-on-unsupported-card",
    severity=Severity.ERROR,
    summary="Time slicing of another vendor's card",
    why="Time slicing is a setting of NVIDIA's device plugin: these cards would be offered whole, while the queues count shares.",
    fix="Write `sharing: exclusive`.",
    bad="nodePools:\n  lab: {card: mi210, sharing: {timeSlicing: {replicas: 4}}}",
    good="nodePools:\n  lab: {card: mi210, sharing: exclusive}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each time-sliced pool of another vendor's cards."""
    for _, pool in pools(fleet):
        if pool.sharing.mode is SharingMode.TIME_SLICING and pool.card.vendor is not Vendor.NVIDIA:
            summary = f"Pool `{pool.name}` slices `{pool.card.name}`, a card of {pool.card.vendor.value}, by time"
            yield DOC.found(summary, at=fleet.places.key(sharing_path(pool)), fix=other_way(fleet, pool.card))
