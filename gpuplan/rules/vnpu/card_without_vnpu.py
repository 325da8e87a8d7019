"""Virtual NPUs on a card that has none, or none that are known.

Huawei's Ascend cards can be cut into virtual NPUs by templates of their own. On other cards there is nothing to cut, and for
a card of the fleet's own nobody knows the templates, so neither names nor quotas could be right.

Source: MindCluster, static virtualization: templates by kind of NPU.
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
    id="vnpu/card-without-vnpu",
    severity=Severity.ERROR,
    summary="Virtual NPUs on a card that cannot be cut into them",
    why="Virtual NPUs exist on Huawei's Ascend cards. Elsewhere nothing offers them: their pods would stay Pending.",
    fix="Write `sharing: exclusive`, or take a card that has virtual NPUs.",
    bad="nodePools:\n  lab: {card: mi300x, sharing: {vnpu: {templates: {vir02: 4}}}}",
    good="nodePools:\n  lab: {card: ascend-310p3, sharing: {vnpu: {templates: {vir02: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that cuts a card without virtual NPUs."""
    known = fleet.catalog.cuts.vnpus
    for _, pool in shared_by(fleet, SharingMode.VNPU):
        if pool.card.name not in known:
            nvidia = pool.card.vendor is Vendor.NVIDIA
            yield DOC.found(
                f"Pool `{pool.name}` cuts `{pool.card.name}` into virtual NPUs, of which none are known for it",
                at=fleet.places.key(sharing_path(pool)),
                fix="Cut NVIDIA's cards by `mig`, or share them."
                if nvidia
                else f"Cards with virtual NPUs are {listed(known)}.",
            )
