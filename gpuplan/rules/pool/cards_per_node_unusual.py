"""A number of cards that servers with this card do not have.

Boards with NVSwitch come with 4 or 8 cards and virtual machines with an even part of them; plug-in cards fit in small
numbers. What counts is what the device plugin offers: a board of several GPUs (A16: 4, MI250X: 2) is several. Anything
else is often a slip, and it goes into every quota. The usual numbers are from memory and not from a list of servers, so
this never fails a fleet.

Source: general knowledge, marked as unchecked in the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Card
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="pool/cards-per-node-unusual",
    severity=Severity.WARNING,
    summary="An unusual number of cards in a node",
    why="The number is multiplied into every quota of the pool: too high, and Kueue admits jobs that no node can hold.",
    fix="Check the number with `nvidia-smi -L` on a node; if it is right, accept the finding under `suppress`.",
    bad="nodePools:\n  a: {card: h100-sxm-80gb, cardsPerNode: 16}",
    good="nodePools:\n  a: {card: h100-sxm-80gb, cardsPerNode: 8}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with a number of cards that hardly any server has."""
    for _, pool in pools(fleet):
        if pool.card.cards_per_node and pool.cards_per_node and pool.cards_per_node not in _plausible(pool.card):
            yield DOC.found(
                f"Pool `{pool.name}` has {pool.cards_per_node} x `{pool.card.name}` a node; servers have "
                + " or ".join(map(str, _usual(pool.card)))
                + (f", {pool.card.devices} on each board" if pool.card.devices > 1 else ""),
                at=point(fleet, (*pool.path, "cardsPerNode")),
            )


def _usual(card: Card) -> list[int]:
    """Return the numbers of devices in servers with usual numbers of boards."""
    return [boards * card.devices for boards in card.cards_per_node]


def _plausible(card: Card) -> set[int]:
    """Return the numbers of devices that a node may well have."""
    usual = _usual(card)
    if min(card.cards_per_node) > 1:
        parts = {part for number in usual for part in range(1, number + 1) if number % part == 0}
    else:
        parts = set(range(1, 2 * max(usual) + 1))
    return {part for part in parts if part % card.devices == 0}
