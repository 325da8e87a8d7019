"""A MIG mix on a card whose placements nobody has confirmed.

For some cards the catalogue assumes placements from a sibling: which profiles exist is known, where each may sit is
not. A cut into one profile only is safe; a mix may turn out not to fit when the MIG manager applies it. For a few cards
the class itself is a guess.

Source: none; that is the point. `nvidia-smi mig -lgipp` on one such card would settle it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.geometry import fits
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import cuts, said

DOC = RuleDoc(
    id="mig/unconfirmed-geometry",
    severity=Severity.WARNING,
    summary="A MIG mix on a card whose placements are not confirmed",
    why="gpuplan assumes where instances may sit on this card. The mix fits by that assumption; the node may say otherwise.",
    fix="Try the cut on one node first, then accept the finding under `suppress` with what you saw.",
    bad="nodePools:\n  lab: {card: rtx-pro-6000-server, sharing: {mig: {profiles: {1g.24gb: 2, 2g.48gb: 1}}}}",
    good="nodePools:\n  lab: {card: rtx-pro-6000-server, sharing: {mig: {profiles: {1g.24gb: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cut that rests on an assumption."""
    for cut in cuts(fleet):
        guessed = not cut.pool.card.is_checked("mig_class")
        mixed = not cut.mig_class.confirmed and len(cut.mix) > 1
        if (guessed or mixed) and fits(cut.mig_class, cut.mix):
            what = "how it can be cut at all" if guessed else "where its instances may sit"
            yield DOC.found(
                f"Pool `{cut.pool.name}`: {said(cut.mix)} on `{cut.pool.card.name}`, of which nobody has confirmed {what}",
                at=fleet.places.value(cut.path),
            )
