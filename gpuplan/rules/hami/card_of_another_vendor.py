"""HAMi on cards that are not NVIDIA's.

HAMi shares cards of many vendors, each by a device plugin and resource names of its own. gpuplan knows its way with NVIDIA's:
the names, the values of its chart, and what Kueue can count.

Source: Project-HAMi/HAMi v2.10.0, device plugins by vendor.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path

DOC = RuleDoc(
    id="hami/card-of-another-vendor",
    severity=Severity.ERROR,
    summary="HAMi on cards that are not NVIDIA's",
    why="The shares would be counted as `nvidia.com/gpu`, which no node with these cards offers: every pod would stay Pending.",
    fix="Write `sharing: exclusive`, or the vendor's own way: `partition` for AMD, `vnpu` for Huawei.",
    bad="nodePools:\n  a: {card: mi300x, sharing: {hami: {split: 4}}}",
    good="nodePools:\n  a: {card: mi300x, sharing: {partition: {compute: CPX}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of another vendor's cards that HAMi shall share."""
    for _, pool in shared_by(fleet, SharingMode.HAMI):
        if pool.card.vendor is not Vendor.NVIDIA:
            yield DOC.found(
                f"Pool `{pool.name}` has `{pool.card.name}` ({pool.card.vendor.value}), and gpuplan knows HAMi for NVIDIA only",
                at=fleet.places.key(sharing_path(pool)),
            )
