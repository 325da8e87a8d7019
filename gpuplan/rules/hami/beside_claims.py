"""HAMi on cards that pods claim.

HAMi's device plugin offers the cards of its node by number; a DRA driver offers the same cards to claims. Both on one node
give a card away twice. (HAMi has a DRA driver too, with shares by consumable capacity, an alpha feature of Kubernetes.)

Source: Project-HAMi/HAMi v2.10.0; NVIDIA/aicr #1327.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools

DOC = RuleDoc(
    id="hami/beside-claims",
    severity=Severity.ERROR,
    summary="HAMi on cards that pods claim",
    why="HAMi's device plugin and a DRA driver on one node know nothing of each other and give the same card away twice.",
    fix="Remove `exposure: dra` from a pool that HAMi shares.",
    bad="nodePools:\n  a: {exposure: dra, sharing: {hami: {split: 4}}}",
    good="nodePools:\n  a: {sharing: {hami: {split: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that is both."""
    for _, pool in hami_pools(fleet):
        if pool.exposure is Exposure.DRA:
            yield DOC.found(
                f"Pool `{pool.name}` is shared by HAMi and claimed from",
                at=fleet.places.value((*pool.path, "exposure")),
                also=(Related("shared by HAMi", fleet.places.key(sharing_path(pool))),),
            )
