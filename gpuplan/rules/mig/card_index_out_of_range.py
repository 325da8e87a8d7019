"""A MIG group that names a card which the node does not have.

Cards of a node count from 0, so a node with 8 cards has 0 to 7. mig-parted ignores an index beyond them without a word,
and the slices that were meant for it never exist.

Source: NVIDIA mig-parted #97.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
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
                if index >= pool.cards_per_node:
                    last = pool.cards_per_node - 1
                    yield DOC.found(
                        f"Pool `{pool.name}` has no card {index}: its {pool.cards_per_node} cards are 0 to {last}",
                        at=fleet.places.value((*mig_path(pool), "groups", number, "cards", position)),
                    )
