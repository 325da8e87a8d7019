"""A MIG group that names a card which the node does not have.

Cards of a node count from 0, so a node with 8 cards has 0 to 7. mig-parted ignores an index beyond them without a word,
and the slices that were meant for it never exist.

Source: NVIDIA mig-parted #97.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.mig_cuts import Use, uses
from gpuplan.inventory.cards.mig_tables import tables
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="mig/card-index-out-of-range",
    severity=Severity.ERROR,
    summary="A card index that the node does not have",
    why="Cards count from 0. mig-parted ignores a higher index without a word, so the slices meant for it never exist.",
    fix="Write indexes from 0 to one less than `cardsPerNode`.",
    bad="nodePools:\n  lab: {cardsPerNode: 8, sharing: {mig: {groups: [{cards: [8], profiles: {1g.5gb: 7}}]}}}",
    good="nodePools:\n  lab: {cardsPerNode: 8, sharing: {mig: {groups: [{cards: [7], profiles: {1g.5gb: 7}}]}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each index beyond the cards of a node."""
    for _, pool in pools(fleet):
        for number, group in enumerate(pool.sharing.groups):
            for position, index in enumerate(group.indexes):
                if index >= pool.cards_per_node > 0:
                    at = fleet.places.value((*mig_path(pool), "groups", number, "cards", position))
                    yield _found(f"Pool `{pool.name}`", index, pool.cards_per_node, at)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each index of a table beyond the cards of the smallest node that uses the layout, or of every node."""
    users: dict[str, list[Use]] = {}
    for use in uses(inventory):
        users.setdefault(use.layout, []).append(use)
    for layout in (one for table in tables(inventory) for one in table.layouts.values()):
        counted = [(use.cards, use.subject) for use in users.get(layout.name, []) if use.cards]
        if not users.get(layout.name) and inventory.assumed.cards_per_node:
            counted = [(inventory.assumed.cards_per_node, f"A node with layout `{layout.name}`")]
        cards, who = min(counted, default=(0, ""))
        for view in (one for entry in layout.entries for one in entry.view["devices"].items() if cards):
            index = view.number()
            if index is not None and index >= cards:
                yield _found(who, index, cards, view.span)


def _found(who: str, index: int, cards: int, at: Span) -> Diagnostic:
    return DOC.found(f"{who} has no card {index}: its {cards} cards are 0 to {cards - 1}", at=at)
