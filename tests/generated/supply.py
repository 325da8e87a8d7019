"""What a fleet's hardware has to give: pieces by cluster, flavor and resource, and the addresses that name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Fleet
from gpuplan.model.fragmentation import nodes_of
from gpuplan.model.sharing import SharingMode
from gpuplan.resolve.addresses import candidates, finest

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """One resource of one flavor in one cluster. Each is equal to itself alone."""

    cluster: str
    flavor: Flavor
    resource: str

    @property
    def item(self) -> tuple[str, str, str]:
        """What a number of the spec speaks of."""
        return self.cluster, self.flavor.name, self.resource

    @property
    def capacity(self) -> int:
        """Pieces that all nodes of the flavor hold."""
        return self.flavor.capacity[self.resource]

    @property
    def largest_pod(self) -> int:
        """Pieces that one pod can get: those of the smallest kind of node, and of a shared card one."""
        if self.flavor.sharing.shared:
            return 1
        if self.flavor.sharing.mode is SharingMode.HAMI:  # a pod gets shares of different cards
            return min(pool.cards_per_node for pool in self.flavor.pools)
        return min(nodes_of(self.flavor, self.resource))


@dataclass
class Supply:
    """The resolved hardware, and the pieces of each offer that nobody owns yet."""

    hardware: Fleet
    left: dict[tuple[str, str, str], int] = field(init=False)

    def __post_init__(self) -> None:
        self.left = {offer.item: offer.capacity for offer in self.offers(self.tiers)}

    @property
    def tiers(self) -> list[str]:
        """The tiers that have nodes."""
        return sorted({flavor.tier.name for cluster in self.hardware.clusters for flavor in cluster.flavors})

    def flavors(self, cluster: str) -> tuple[Flavor, ...]:
        """Return the flavors of a cluster."""
        return next(own.flavors for own in self.hardware.clusters if own.name == cluster)

    def offers(self, tiers: Iterable[str]) -> list[Offer]:
        """Return what the tiers offer, cluster by cluster."""
        tiers = set(tiers)
        return [
            Offer(cluster.name, flavor, resource)
            for cluster in self.hardware.clusters
            for flavor in cluster.flavors
            if flavor.tier.name in tiers
            for resource in flavor.capacity
        ]

    def alternatives(self, tiers: Iterable[str]) -> list[list[Flavor]]:
        """Return the flavors between which a job can move: those of one cluster that offer one name, if several do."""
        found: dict[tuple[str, str], list[Flavor]] = {}
        for offer in self.offers(tiers):
            found.setdefault((offer.cluster, offer.resource), []).append(offer.flavor)
        return [flavors for flavors in found.values() if len(flavors) > 1]

    def go_together(self, tiers: Iterable[str]) -> bool:
        """Tell whether one task pool may use these tiers: a name stands for one unit, and all have a topology or none."""
        offers = self.offers(tiers)
        units = {(offer.cluster, offer.resource, offer.flavor.units[offer.resource]) for offer in offers}
        names = {(offer.cluster, offer.resource) for offer in offers}
        return len(units) == len(names) and len({bool(offer.flavor.levels) for offer in offers}) == 1

    def take(self, offer: Offer, pieces: int) -> None:
        """Give pieces to an owner."""
        self.left[offer.item] -= pieces


@st.composite
def addressed(draw: st.DrawFn, supply: Supply, numbers: Mapping[Offer, Any]) -> Entry:
    """Write numbers at addresses: plain where one cluster alone has the tier, else below `clusters`."""
    made: Entry = {}
    clusters: Entry = {}
    for offer, number in numbers.items():
        tier = offer.flavor.tier.name
        alone = len({other.cluster for other in supply.offers([tier])}) == 1
        flavors = supply.flavors(offer.cluster)
        into = made if alone and draw(st.booleans()) else clusters.setdefault(offer.cluster, {})
        into[draw(st.sampled_from(_addresses(offer, flavors)))] = number
    return {**made, "clusters": clusters} if clusters else made


def _addresses(offer: Offer, flavors: tuple[Flavor, ...]) -> list[str]:
    """Return the shortest address and others that stand for the offer alone."""
    target = (offer.flavor, offer.resource)
    shortest = finest(target, flavors)
    words = [*shortest.split("/")[1:], offer.flavor.card.name, offer.flavor.sharing.label, f"r{offer.flavor.revision}"]
    longer = ["/".join((offer.flavor.tier.name, *some)) for size in (1, 2) for some in combinations(words, size)]
    return [shortest, *(address for address in longer if candidates(address, flavors) == [target])]
