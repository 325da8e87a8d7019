"""More instances of a MIG profile than fit on a card.

Each profile has a most: seven `1g.10gb` on a card of 80 GB, but four `1g.20gb` and one `7g.80gb`. The name alone does
not tell: `1g.10gb` is the smallest slice of an 80 GB card and the double-memory slice of a 40 GB one.

Source: NVIDIA MIG User Guide, supported profiles.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.mig import MigClass
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.mig_cuts import TableCut, table_cuts
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import cuts
from gpuplan.rules.walk import graded

DOC = RuleDoc(
    id="mig/too-many-instances",
    severity=Severity.ERROR,
    summary="More instances of a MIG profile than a card holds",
    why="The MIG manager fails to create them, after it has stopped the node's GPU clients.",
    fix="Ask for at most as many as the message says.",
    bad="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 7}}}}",
    good="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each profile that is asked for too often, at its count."""
    for cut in cuts(fleet):
        for profile, count in cut.mix.items():
            most = _most((cut.mig_class,), profile)
            if most is not None and count > most:
                asked = f"Pool `{cut.pool.name}` asks for {count} x {profile} on a card"
                holds = f"`{cut.pool.card.name}` holds at most {most}"
                at = fleet.places.value((*cut.path, profile))
                yield _found(f"{asked}; {holds}", profile, most, at, known=cut.known)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each profile that a table asks for too often; without a card, where it is too often on every one."""
    for cut in table_cuts(inventory):
        for profile, count, view in cut.entry.counts:
            most = _most(_classes(inventory, cut), profile)
            if most is not None and count > most:
                asked = f"{cut.who} asks for {count} x {profile} on a card"
                holds = f"`{cut.card.name}` holds" if cut.card else "every card that has it holds"
                yield _found(f"{asked}; {holds} at most {most}", profile, most, view.key_span, known=cut.known)


def _classes(inventory: Inventory, cut: TableCut) -> tuple[MigClass, ...]:
    return (cut.mig_class,) if cut.mig_class else tuple(inventory.catalog.mig.values())


def _most(classes: tuple[MigClass, ...], profile: str) -> int | None:
    """Return how many of a profile the card that holds most of them has; None where none of them has it."""
    found = (mig_class.find(profile) for mig_class in classes)
    return max((known.max_count for known in found if known is not None), default=None)


def _found(summary: str, profile: str, most: int, at: Span, *, known: bool) -> Diagnostic:
    return DOC.found(summary, at=at, fix=f"Write `{profile}: {most}` or less.", severity=graded(known=known))
