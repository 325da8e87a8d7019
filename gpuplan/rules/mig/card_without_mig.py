"""A pool cut by MIG whose card cannot be cut.

T4, V100, A10, A40, L4, L40 and their like have no MIG. The MIG manager fails on such a node, and the pool offers nothing: no
slice, and no whole card either.

Source: NVIDIA MIG User Guide, supported GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.mig_cuts import Use, layouts_in_use, uses
from gpuplan.inventory.cards.mig_tables import tables
from gpuplan.inventory.inventory import Inventory
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
        yield _found(
            f"Pool `{pool.name}` is cut by MIG", pool.card, fleet.places.key(mig_path(pool)), _fix(fleet, pool)
        )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each node that is given a layout, and for tables where the assumed card is one that has no MIG."""
    used = list(uses(inventory))
    known = layouts_in_use(inventory)
    for use in used:
        layout = known.get(use.layout)
        if layout is None and known:
            continue  # mig/unknown-config
        cuts = _standard(use) if layout is None else any(one.enabled and one.takes(use.card) for one in layout.entries)
        if use.card is not None and cuts and _uncuttable(use.card):
            fix = f"Remove `{conventions.LABEL_MIG_CONFIG}`, or share the card by time slicing or MPS."
            yield _found(
                f"{use.subject} is to be cut by MIG (layout `{use.layout}`)",
                use.card,
                use.view.span,
                fix,
            )
    card, named = inventory.assumed.card, {use.layout for use in used}
    if card is None or not _uncuttable(card):
        return
    own = (one for table in tables(inventory) if not table.for_several_cards for one in table.layouts.values())
    for layout in (one for one in own if one.name not in named):
        for entry in [one for one in layout.entries if one.enabled][:1]:
            yield _found(f"Layout `{layout.name}` cuts cards by MIG", card, entry.view["mig-enabled"].key_span, None)


def _standard(use: Use) -> bool:
    """Tell whether the layout is one of the operator's own that cuts cards, by its name."""
    return use.layout.startswith("all-") and use.layout != "all-disabled"


def _uncuttable(card: Card) -> bool:
    return card.vendor is Vendor.NVIDIA and card.mig_class is None


def _found(summary: str, card: Card, at: Span, fix: str | None) -> Diagnostic:
    severity = graded(known=card.is_checked("mig_class"))
    return DOC.found(f"{summary}, but `{card.name}` has none", at=at, fix=fix, severity=severity)


def _fix(fleet: Fleet, pool: NodePool) -> str | None:
    if pool.card.vendor is not Vendor.NVIDIA:
        return other_way(fleet, pool.card)
    own = written(fleet, ("cards", pool.card.name))
    return f"Add `migClass` to `cards.{pool.card.name}` if the card can be cut." if own else None
