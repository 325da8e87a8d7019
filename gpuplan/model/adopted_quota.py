"""What adopted queues and cohorts own of the fleet's own cards: quotas in flavors of theirs that stand for the same nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog.cards import Vendor
from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import KeyPath
from gpuplan.model.adopted import Adopted, AdoptedObject
from gpuplan.model.flavors import Flavor
from gpuplan.model.pools import NodePool, node_labels
from gpuplan.model.queues import FlavorResource
from gpuplan.model.sharing import SharingMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What an adopted queue or cohort owns of one flavor of ours and one resource."""

    item: FlavorResource
    amount: int
    """Pieces of a GPU resource; billionths of a companion."""
    name: str
    """The owner, in words."""
    path: KeyPath
    """Where that number stands."""


def claims(flavors: tuple[Flavor, ...], adopted: Adopted) -> Iterator[Claim]:
    """Yield what adopted queues and cohorts own of flavors of ours, in the order of the spec."""
    for owner in (*adopted.of("Cohort"), *adopted.of("ClusterQueue")):
        for name, resource, amount, path in owner.nominal():
            homes = standing_for(flavors, adopted, name, resource)
            if len(homes) == 1 and amount.nanos:
                number = amount.value if resource in homes[0].capacity else amount.nanos
                item = (homes[0].name, resource)
                yield Claim(item=item, amount=number, name=in_words(owner), path=path)


def counted(flavors: tuple[Flavor, ...], adopted: Adopted) -> Mapping[FlavorResource, int]:
    """Return what adopted queues and cohorts own together, by flavor of ours and resource."""
    found: dict[FlavorResource, int] = {}
    for claim in claims(flavors, adopted):
        found[claim.item] = found.get(claim.item, 0) + claim.amount
    return found


def unsettled(flavors: tuple[Flavor, ...], adopted: Adopted) -> frozenset[FlavorResource]:
    """Return the flavors of ours, with the resource, that share an adopted quota: how much of it lies where is open."""
    return frozenset(
        (home.name, resource)
        for owner in (*adopted.of("Cohort"), *adopted.of("ClusterQueue"))
        for name, resource, amount, _ in owner.nominal()
        for homes in [standing_for(flavors, adopted, name, resource)]
        for home in homes
        if len(homes) > 1 and amount.nanos
    )


def standing_for(flavors: tuple[Flavor, ...], adopted: Adopted, name: str, resource: str) -> tuple[Flavor, ...]:
    """Return the flavors of ours on whose nodes an adopted queue's flavor gives out a resource. Of several, nobody knows."""
    theirs = {one.name: one for one in adopted.of("ResourceFlavor")}
    offering = [flavor for flavor in flavors if resource in flavor.capacity or resource in flavor.companions]
    if name not in theirs:
        return tuple(flavor for flavor in offering if flavor.name == name)
    labels = theirs[name].spec.get("nodeLabels", {})
    return tuple(f for f in offering if all(labels.items() <= _known(pool).items() for pool in f.pools))


def in_words(one: AdoptedObject) -> str:
    """Return an adopted object as messages name it."""
    return f"adopted {one.kind} `{f'{one.namespace}/' if one.namespace else ''}{one.name}`"


def _known(pool: NodePool) -> dict[str, str]:
    """Return the labels that the pool's nodes carry for sure."""
    whole = pool.card.vendor is Vendor.NVIDIA and pool.sharing.mode is SharingMode.EXCLUSIVE
    return {**({LABEL_PRODUCT: pool.card.product_name} if whole else {}), **node_labels(pool)}
