"""The MIG cuts of a fleet, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog.geometry import Mix
from gpuplan.catalog.mig import MigClass
from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rules.walk import pools, written


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How some cards of a pool are cut."""

    pool: NodePool
    mig_class: MigClass
    mix: Mix
    """Instances per card, by profile, in the order of their names."""
    path: KeyPath
    """Where the mix stands in the spec."""

    @property
    def known(self) -> bool:
        """Whether the profiles and places of this card were read at a source, so that a rule may fail on them."""
        return self.mig_class.confirmed and self.pool.card.is_checked("mig_class")


def mig_path(pool: NodePool) -> KeyPath:
    """Return where the pool's layout stands."""
    return (*pool.path, "sharing", "mig")


def cuts(fleet: Fleet) -> Iterator[Cut]:
    """Yield every cut of a card that can be cut."""
    for _, pool in pools(fleet):
        if pool.mig_class is None:
            continue
        grouped = written(fleet, (*mig_path(pool), "groups"))
        for index, group in enumerate(pool.sharing.groups):
            where = ("groups", index, "profiles") if grouped else ("profiles",)
            if group.profiles:
                path = (*mig_path(pool), *where)
                yield Cut(pool=pool, mig_class=pool.mig_class, mix=dict(group.profiles), path=path)


def said(mix: Mapping[str, int]) -> str:
    """Return a mix in words: 3 x 1g.10gb + 2 x 1g.5gb."""
    return " + ".join(f"{count} x {profile}" for profile, count in mix.items())


def spelled(mix: Mapping[str, int]) -> str:
    """Return a mix as the spec spells it."""
    return "{" + ", ".join(f"{profile}: {count}" for profile, count in mix.items()) + "}"
