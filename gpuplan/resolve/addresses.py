"""Addresses of quotas: from `lab` or `lab/1g.5gb` to exactly one flavor and resource (docs/decisions/0004).

Nothing is split in silence. An address that stands for several is a finding whose fix is the proportional split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from gpuplan.catalog.mig import label_safe
from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import FlavorResource


def candidates(address: str, flavors: Iterable[Flavor]) -> list[tuple[Flavor, str]]:
    """Return every flavor and resource that the address stands for."""
    tier, *parts = address.split("/")
    return [
        (flavor, resource)
        for flavor in flavors
        if flavor.tier.name == tier
        for resource in flavor.capacity
        if set(parts) <= set(_words(flavor, resource))
    ]


def _words(flavor: Flavor, resource: str) -> Iterator[str]:
    """Yield what may stand behind a slash for this flavor and resource, the plainest word first."""
    yield flavor.card.name
    part = flavor.units[resource].part
    if "/" not in part:
        yield part
        yield label_safe(part)
    yield flavor.sharing.label
    yield resource.rpartition("/")[2]
    yield f"r{flavor.revision}"


def finest(target: tuple[Flavor, str], flavors: tuple[Flavor, ...]) -> str:
    """Return the shortest address that stands for this flavor and resource alone."""
    flavor, resource = target
    words = tuple(dict.fromkeys(_words(flavor, resource)))
    for size in range(len(words) + 1):
        for chosen in combinations(words, size):
            address = "/".join((flavor.tier.name, *chosen))
            if candidates(address, flavors) == [target]:
                return address
    return "/".join((flavor.tier.name, *words))


def proportional(total: int, capacities: Mapping[FlavorResource, int]) -> dict[FlavorResource, int]:
    """Split a number by capacity, whole pieces only: the largest remainders get the rest. Capacities are not all 0."""
    whole = sum(capacities.values())
    parts = {item: total * capacity // whole for item, capacity in capacities.items()}
    by_remainder = sorted(capacities, key=lambda item: (-(total * capacities[item] % whole), item))
    for item in by_remainder[: total - sum(parts.values())]:
        parts[item] += 1
    return parts
