"""A card of a node that two MIG groups, or one group twice, lay claim to.

mig-parted applies its entries in order, and a later one wins over an earlier one for the same card. The first cut would
be in the spec, in the quota and in nobody's node.

Source: NVIDIA mig-parted, order of entries.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import pools, written

DOC = RuleDoc(
    id="mig/card-cut-twice",
    severity=Severity.ERROR,
    summary="A card in two MIG groups",
    why="A card has one cut. mig-parted applies the later entry, and the instances of the earlier one never exist.",
    fix="Name each card in one group, once.",
    bad="nodePools:\n  lab: {sharing: {mig: {groups: [{cards: [0, 1], profiles: {1g.5gb: 7}}, {cards: [1, 2]}]}}}",
    good="nodePools:\n  lab: {sharing: {mig: {groups: [{cards: [0, 1], profiles: {1g.5gb: 7}}, {cards: [2]}]}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each further mention of a card."""
    for _, pool in pools(fleet):
        first: dict[int, Span] = {}
        grouped = written(fleet, (*mig_path(pool), "groups"))
        for number, group in enumerate(pool.sharing.groups if grouped else ()):
            for position, index in enumerate(group.indexes):
                at = fleet.places.value((*mig_path(pool), "groups", number, "cards", position))
                if index in first:
                    also = (Related("first named here", first[index]),)
                    yield DOC.found(f"Pool `{pool.name}` cuts card {index} of its nodes twice", at=at, also=also)
                first.setdefault(index, at)
