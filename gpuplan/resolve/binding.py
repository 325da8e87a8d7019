"""Numbers of the spec, bound to the cluster, flavor and resource that they speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from gpuplan.diagnostics import KeyPath
from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import FlavorResource, TaskPool
from gpuplan.resolve import findings
from gpuplan.resolve.addresses import candidates, finest, proportional
from gpuplan.resolve.scope import Scope
from gpuplan.spec.queues import AmountSpec
from gpuplan.suggest import nearest

FlavorsByCluster = Mapping[str, tuple[Flavor, ...]]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Number(Generic[V]):
    """A number as written: its cluster (empty where the spec names none), address and place."""

    cluster: str
    address: str
    value: V
    path: KeyPath


@dataclass(frozen=True, slots=True)
class Place(Generic[V]):
    """A number, bound."""

    cluster: str
    item: FlavorResource
    value: V
    path: KeyPath


def numbers(
    plain: Mapping[str, V] | None, clusters: Mapping[str, Mapping[str, V]], path: KeyPath
) -> Iterator[Number[V]]:
    """Yield the numbers of one section: those without a cluster first, then cluster by cluster."""
    for address, value in (plain or {}).items():
        yield Number("", address, value, (*path, address))
    for cluster, own in clusters.items():
        for address, value in own.items():
            yield Number(cluster, address, value, (*path, "clusters", cluster, address))


def bind(scope: Scope, pool: TaskPool, written: Iterable[Number[V]], flavors: FlavorsByCluster) -> list[Place[V]]:
    """Bind each number of a task pool; what cannot be bound becomes a finding."""
    bound: list[Place[V]] = []
    for number in written:
        cluster = _cluster_of(scope, pool, number, flavors)
        target = _target(scope, pool, number, cluster, flavors[cluster]) if cluster else None
        if target:
            bound.append(Place(cluster, (target[0].name, target[1]), number.value, number.path))
    return bound


def usable_flavors(pool: TaskPool, flavors: Iterable[Flavor]) -> tuple[Flavor, ...]:
    """Return the flavors of the task pool's tiers, in the order of the tiers."""
    flavors = tuple(flavors)
    return tuple(flavor for tier in pool.tiers for flavor in flavors if flavor.tier.name == tier)


def hardware_is_broken(scope: Scope) -> bool:
    """Tell whether a missing pool may be missing only because it has mistakes of its own."""
    return any(path[0] in ("nodePools", "cardTiers", "clusters") for path in scope.broken) or bool(scope.found)


def _cluster_of(scope: Scope, pool: TaskPool, number: Number[V], flavors: FlavorsByCluster) -> str:
    """Return the cluster that a number speaks of, or nothing after a finding."""
    tier, at = number.address.split("/")[0], scope.origins.key(number.path)
    if tier not in pool.tiers:
        listed = ", ".join(f"`{name}`" for name in pool.tiers)
        summary = f"`{number.address}` is not in task pool `{pool.name}`, whose tiers are {listed}"
        meant = nearest(tier, pool.tiers) if tier not in scope.spec.card_tiers else None
        fix = f"Write `{meant}`." if meant else None
        scope.found.append(findings.TIER_NOT_IN_TASK_POOL.found(summary, at=at, fix=fix))
        return ""
    if number.cluster:
        known = scope.look_up("clusters", flavors, number.cluster, number.path[:-1])
        return "" if known is None else number.cluster
    having = [name for name in flavors if any(flavor.tier.name == tier for flavor in flavors[name])]
    if len(having) == 1:
        return having[0]
    if having:
        split = ", ".join(f"{name}: {{{number.address}: …}}" for name in having)
        summary = f"Tier `{tier}` exists in {len(having)} clusters: say which one `{number.address}` means"
        fix = f"Write `clusters: {{{split}}}` with a number for each, or for some of them."
        scope.found.append(findings.WHICH_CLUSTER.found(summary, at=at, fix=fix))
    elif not hardware_is_broken(scope):
        summary = f"No node pool has tier `{tier}`, so there is nothing to give out"
        scope.found.append(findings.UNKNOWN_ADDRESS.found(summary, at=at))
    return ""


def _target(
    scope: Scope, pool: TaskPool, number: Number[V], cluster: str, flavors: tuple[Flavor, ...]
) -> tuple[Flavor, str] | None:
    found = candidates(number.address, flavors)
    if len(found) == 1:
        return found[0]
    at = scope.origins.key(number.path)
    if found:
        summary = f"`{number.address}` stands for {len(found)} things in cluster `{cluster}`"
        fix = _split(number.value, found, flavors)
        scope.found.append(findings.AMBIGUOUS_ADDRESS.found(summary, at=at, fix=fix))
    elif not hardware_is_broken(scope):
        usable = usable_flavors(pool, flavors)
        known = ", ".join(f"`{finest((f, r), flavors)}`" for f in usable for r in f.capacity) or "nothing"
        summary = f"Nothing in cluster `{cluster}` answers to `{number.address}`"
        scope.found.append(findings.UNKNOWN_ADDRESS.found(summary, at=at, fix=f"There is {known}."))
    return None


def _split(value: object, found: list[tuple[Flavor, str]], flavors: tuple[Flavor, ...]) -> str:
    """Show the proportional split of a number, or of each number of an amount."""
    capacity = {(flavor.name, resource): flavor.capacity[resource] for flavor, resource in found}
    addresses = {(flavor.name, resource): finest((flavor, resource), flavors) for flavor, resource in found}
    if isinstance(value, int):
        parts = proportional(value, capacity)
        return "By capacity that is `" + ", ".join(f"{addresses[item]}: {part}" for item, part in parts.items()) + "`."
    given = value.model_dump(exclude_none=True) if isinstance(value, AmountSpec) else {}
    split = {key: proportional(number, capacity) for key, number in given.items()}
    shown = [
        f"{addresses[item]}: {{" + ", ".join(f"{key}: {parts[item]}" for key, parts in split.items()) + "}"
        for item in capacity
    ]
    return "By capacity that is `" + ", ".join(shown) + "`."
