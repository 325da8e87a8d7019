"""A card of the fleet's own that names a MIG class which the catalogue does not have.

The class says which instance profiles a card has and where each may sit. Without it no cut can be checked, and the MIG
manager would find out on the node, after it has stopped every GPU client there.

Source: NVIDIA MIG User Guide, supported profiles; `gpuplan cards` lists the classes.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="card/unknown-mig-class",
    severity=Severity.ERROR,
    summary="A MIG class that the catalogue does not know",
    why="The class says how the card can be cut; without it no cut of the card can be checked before a node tries it.",
    fix="Write one of the known classes, or leave `migClass` out for a card that is never cut.",
    bad="cards:\n  h100-96: {vendor: nvidia, productName: NVIDIA-H100-96GB-HBM3, memoryGiB: 96, migClass: H96}",
    good="cards:\n  h100-96: {vendor: nvidia, productName: NVIDIA-H100-96GB-HBM3, memoryGiB: 96, migClass: H96c}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each card whose class does not exist."""
    known = fleet.catalog.mig
    for card in fleet.catalog.cards.values():
        if card.mig_class is not None and card.mig_class not in known:
            guess = nearest(card.mig_class, list(known))
            yield DOC.found(
                f"Card `{card.name}` has MIG class `{card.mig_class}`, which the catalogue does not know",
                at=point(fleet, ("cards", card.name, "migClass")),
                fix=f"Write `{guess}`." if guess else f"Known are {listed(known)}.",
            )
