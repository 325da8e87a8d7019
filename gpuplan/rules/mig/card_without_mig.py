"""A pool cut by MIG whose card cannot be cut.

T4, V100, A10, A40, L4, L40 and their like have no MIG. The MIG manager fails on such a node, and the pool offers nothing: no
slice, and no whole card either.

Source: NVIDIA MIG User Guide, supported GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.vendors import other_way
from gpuplan.rules.walk import graded, pools, written

DOC = RuleDoc(
    id="mig/card-without-mig",
    severity=Severity.ERROR,
    summary="A MIG layout on a card that cannot be cut",
    why="The MIG manager fails on such a node and its pool offers no resource at all.",
    fix="Share the card by `timeSlicing` or `mps`, write `sharing: exclusive`, or take a card that has MIG.",
    bad="nodePools:\n  lab: {tier: lab, card: l40s, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="nodePools:\n  lab: {tier: lab, card: l40s, sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that cuts an uncuttable card."""
    for _, pool in pools(fleet):
        # A class that the catalogue does not know is a finding of card/unknown-mig-class.
        if pool.sharing.mode is not SharingMode.MIG or pool.card.mig_class is not None:
            continue
        yield DOC.found(
            f"Pool `{pool.name}` is cut by MIG, but `{pool.card.name}` has none",
            at=fleet.places.key(mig_path(pool)),
            fix=_fix(fleet, pool),
            severity=graded(known=pool.card.is_checked("mig_class")),
        )


def _fix(fleet: Fleet, pool: NodePool) -> str | None:
    if pool.card.vendor is not Vendor.NVIDIA:
        return other_way(fleet, pool.card)
    own = written(fleet, ("cards", pool.card.name))
    return f"Add `migClass` to `cards.{pool.card.name}` if the card can be cut." if own else None
