"""Cards of other vendors, and how each can be cut, as rules look at them."""

from __future__ import annotations

from gpuplan.catalog.cards import Card
from gpuplan.model.fleet import Fleet


def other_way(fleet: Fleet, card: Card) -> str:
    """Return the fix for a card of another vendor that is shared by NVIDIA's means: its own means, or none."""
    ways = {"partition": fleet.catalog.cuts.partitions, "vnpu": fleet.catalog.cuts.vnpus}
    own = [f"`{way}`" for way, known in ways.items() if card.name in known]
    return f"Write `sharing: exclusive`, or cut the card by {own[0]}." if own else "Write `sharing: exclusive`."
