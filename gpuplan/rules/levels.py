"""The topology levels of a fleet's tiers, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import CardTier
from gpuplan.rules.walk import pools


def tiers(fleet: Fleet) -> Iterator[CardTier]:
    """Yield every tier that has a pool, once."""
    return iter({pool.tier.name: pool.tier for _, pool in pools(fleet)}.values())


def level_path(tier: CardTier, index: int) -> KeyPath:
    """Return where a level stands."""
    return (*tier.path, "topology", "levels", index)
