"""What quotas count on shared and cut cards: so many cards, times instances, times shares."""

from __future__ import annotations

from gpuplan.importer import sharing
from gpuplan.inventory.cards.exposure import SHARED, capacity, produced, profile
from gpuplan.inventory.inventory import Inventory

Plain = object


def in_cards(inventory: Inventory, flavor: str, shared: Plain, resource: str, amount: int) -> str:
    """Return how a quota comes of cards, as a sentence; empty where it counts cards, or is no multiple of a card's pieces.

    `shared` is the pool's sharing as the spec writes it; the device plugin's configuration of the flavor's name counts too.
    """
    mig = shared.get("mig") if isinstance(shared, dict) else None
    cut = mig.get("profiles", {}) if isinstance(mig, dict) else {}
    strategy = str(mig.get("strategy", "none")) if isinstance(mig, dict) else "none"
    config = sharing.profiles(inventory).get(flavor) or sharing.default_profile(inventory)
    section = profile(config).sharing if config is not None else None
    instances = produced([cut], strategy).get(resource.removesuffix(SHARED), 0)
    pieces = capacity([cut], section, strategy).get(resource, 0)
    if not instances or pieces < 2 or not amount or amount % pieces:
        return ""
    factors = [one for one in (instances, pieces // instances) if one > 1]
    cards = amount // pieces
    times = " x ".join(map(str, (f"{cards} card{'s' if cards > 1 else ''}", *factors)))
    return f"Its quotas of {resource} add up to {amount}: {times}."
