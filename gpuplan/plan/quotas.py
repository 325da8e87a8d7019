"""Quotas before and after, read off the queues and cohorts themselves, so that a rendered tree without its spec has them, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from gpuplan import conventions
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.model.adopted_quota import standing_for
from gpuplan.model.queues import Service
from gpuplan.plan.moves import Moves
from gpuplan.plan.parts import NOTHING, Balance, Holding, QuotaRow
from gpuplan.plan.spec_changes import Causes
from gpuplan.plan.state import State
from gpuplan.quantity import Quantity

Object = Mapping[str, Any]
Place = tuple[str, str, str]
"""(cluster, flavor, resource)."""


class Owner(NamedTuple):
    """Who has a right on what."""

    cluster: str
    flavor: str
    resource: str
    task_pool: str
    team: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """An owner's right, with the object that gives it."""

    service: str
    holding: Holding
    made: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is read off one side, once for its rights and its balances."""

    rights: Mapping[Owner, Right]
    sums: Mapping[Place, tuple[int, int]]
    tiers: Mapping[tuple[str, str], str]
    pieces: Mapping[Place, Fraction]
    cards: AbstractSet[Place]


def _read(state: State) -> _Reading:
    sums, own = _sums(state.manifests), _pieces(state)
    pieces = {**dict(_adopted_pieces(state)), **own}
    cards = _card_places(state, sums, own)
    rights = dict(_rights(state, cards | pieces.keys()))
    return _Reading(rights=rights, sums=sums, tiers=_tiers(state.manifests), pieces=pieces, cards=cards)


def quotas(old: State, new: State, moves: Moves, spec: Causes) -> tuple[tuple[QuotaRow, ...], tuple[Balance, ...]]:
    """Return every right of both sides, sorted by cluster, flavor, resource, task pool and team, and how they add up."""
    first, second = _read(old), _read(new)
    tiers, pieces = {**first.tiers, **second.tiers}, {**first.pieces, **second.pieces}
    before = {_renamed(owner, moves): (owner, right) for owner, right in first.rights.items()}
    rows = tuple(
        _row(owner, before.get(owner), second.rights.get(owner), tiers, pieces, spec)
        for owner in sorted({*before, *second.rights})
    )
    return rows, _balances(first, second, moves, tiers, pieces)


def _row(
    owner: Owner,
    was: tuple[Owner, Right] | None,
    will: Right | None,
    tiers: Mapping[tuple[str, str], str],
    pieces: Mapping[Place, Fraction],
    spec: Causes,
) -> QuotaRow:
    made = [right.made for right in (will, was[1] if was else None) if right is not None]
    old, new = was[1].holding if was else NOTHING, will.holding if will else NOTHING
    right = will or (was[1] if was else None)
    return QuotaRow(
        cluster=owner.cluster,
        tier=tiers.get((owner.cluster, owner.flavor), ""),
        flavor=owner.flavor,
        resource=owner.resource,
        service=right.service if right else "",
        task_pool=owner.task_pool,
        team=owner.team,
        old=old,
        new=new,
        per_piece=pieces.get((owner.cluster, owner.flavor, owner.resource)),
        was_team=was[0].team if was and was[0].team != owner.team else "",
        queue=right.made.key.name if right and owner.team else "",
        was_queue=was[1].made.key.name if was and owner.team else "",
        causes=spec.related(origin.path for one in made for origin in (one.origin, *one.also)) if old != new else (),
    )


def _renamed(owner: Owner, moves: Moves) -> Owner:
    """Return an owner of the old side under the names of the new one. Flavors are named after tiers and keep their names."""
    return owner._replace(
        cluster=moves.new_name("clusters", owner.cluster),
        task_pool=moves.new_name("taskPools", owner.task_pool),
        team=moves.new_name("teams", owner.team) if owner.team else "",
    )


def _balances(
    old: _Reading,
    new: _Reading,
    moves: Moves,
    tiers: Mapping[tuple[str, str], str],
    pieces: Mapping[Place, Fraction],
) -> tuple[Balance, ...]:
    """Return capacity and promises of every flavor and resource of both sides: what all nodes of the tree own is the hardware."""
    before, after = {_home(place, moves): numbers for place, numbers in old.sums.items()}, new.sums
    cards = {_home(place, moves) for place in old.cards} | new.cards
    made = []
    for place in sorted({*before, *after} & cards):
        (old_all, old_owned), (new_all, new_owned) = before.get(place, (0, 0)), after.get(place, (0, 0))
        cluster, flavor, resource = place
        made.append(
            Balance(
                cluster=cluster,
                tier=tiers.get((cluster, flavor), ""),
                flavor=flavor,
                resource=resource,
                capacity=(old_all, new_all),
                owned=(old_owned, new_owned),
                per_piece=pieces.get(place),
            )
        )
    return tuple(made)


def _home(place: Place, moves: Moves) -> Place:
    """Return a place of the old side under the name that its cluster has on the new one."""
    cluster, flavor, resource = place
    return moves.new_name("clusters", cluster), flavor, resource


def _sums(manifests: ManifestSet) -> dict[Place, tuple[int, int]]:
    """Return (all nominal quota of the tree, what queues and task pools own of it) by cluster, flavor and resource."""
    found: dict[Place, tuple[int, int]] = {}
    for made in (*manifests.of_kind("Cohort"), *manifests.of_kind("ClusterQueue")):
        root = made.key.kind == "Cohort" and "parentName" not in _spec(made)
        for flavor, resource, quota in _numbers(made):
            place = (str(made.cluster), flavor, resource)
            everything, owned = found.get(place, (0, 0))
            nominal = _amount(quota.get("nominalQuota"))
            found[place] = (everything + nominal, owned + (0 if root else nominal))
    return found


def _rights(state: State, cards: AbstractSet[Place]) -> Iterator[tuple[Owner, Right]]:
    """Yield every queue's right, and what cohorts below the root own as a whole. Companions such as cpu follow the cards."""
    for made in state.manifests.of_kind("ClusterQueue"):
        service = service_of(made.object)
        weight = _amount(_spec(made).get("fairSharing", {}).get("weight", "1"))
        team, pool = _labels(made).get(conventions.LABEL_TEAM, made.key.name), task_pool_of(made.object)
        for flavor, resource, quota in _numbers(made):
            place = (str(made.cluster), flavor, resource)
            if place in cards:
                holding = _holding(service, quota, weight)
                yield Owner(*place, pool, team), Right(service=service, holding=holding, made=made)
    for made in state.manifests.of_kind("Cohort"):
        for flavor, resource, quota in _numbers(made) if "parentName" in _spec(made) else ():
            place = (str(made.cluster), flavor, resource)
            if place in cards:
                holding = _holding(Service.SHARED.value, quota, 1)
                yield (
                    Owner(*place, task_pool_of(made.object), ""),
                    Right(service=Service.SHARED.value, holding=holding, made=made),
                )


def _holding(service: str, quota: Object, weight: int) -> Holding:
    beyond = _amount(quota["borrowingLimit"]) if "borrowingLimit" in quota else None
    guaranteed = _amount(quota.get("nominalQuota"))
    if service == Service.RECLAIMABLE.value:
        return Holding(reclaimable=beyond, weight=weight)
    lent = _amount(quota["lendingLimit"]) if "lendingLimit" in quota else guaranteed
    return Holding(guaranteed=guaranteed, borrowable=beyond, lent=lent, weight=weight)


def task_pool_of(made: Object) -> str:
    """Return the task pool of a queue or cohort: its label where the cohort has another name, else the cohort itself."""
    metadata = made.get("metadata", {})
    cohort = metadata.get("name", "") if made.get("kind") == "Cohort" else made.get("spec", {}).get("cohortName", "")
    return str(metadata.get("labels", {}).get(conventions.LABEL_TASK_POOL, cohort))


def service_of(queue: Object) -> str:
    """Return a queue's service class: its label says it, or, on trees of older versions, whom it evicts."""
    said = queue.get("metadata", {}).get("labels", {}).get(conventions.LABEL_SERVICE)
    if said:
        return str(said)
    preemption = queue.get("spec", {}).get("preemption", {})
    evicts = (preemption.get("reclaimWithinCohort", "Never"), preemption.get("withinClusterQueue", "Never"))
    by_eviction = {
        ("Any", "LowerPriority"): Service.GUARANTEED,
        ("LowerPriority", "LowerPriority"): Service.QUEUED,
        ("Any", "Never"): Service.SHARED,
    }
    otherwise = Service.QUEUED if _owns(queue) else Service.RECLAIMABLE
    return by_eviction.get(evicts, otherwise).value


def _owns(queue: Object) -> bool:
    """Tell whether a queue has any quota of its own, which reclaimable work never has."""
    groups = queue.get("spec", {}).get("resourceGroups", ())
    quotas = (quota for group in groups for flavor in group["flavors"] for quota in flavor["resources"])
    return any(_amount(quota.get("nominalQuota")) for quota in quotas)


def _numbers(made: Manifest) -> Iterator[tuple[str, str, Object]]:
    """Yield (flavor, resource, quota) of a queue or cohort."""
    for group in _spec(made).get("resourceGroups", ()):
        for flavor in group["flavors"]:
            for quota in flavor["resources"]:
                yield flavor["name"], quota["name"], quota


def _card_places(
    state: State, sums: Mapping[Place, tuple[int, int]], pieces: Mapping[Place, Fraction]
) -> AbstractSet[Place]:
    """Return where cards are counted, and not what queues count besides (cpu, memory, fabric).

    The spec says it; without one, what has a domain and is no fabric counts as cards.
    """
    if state.fleet is not None:
        return pieces.keys()
    return {place for place, (everything, _) in sums.items() if everything and _like_cards(place[2])}


def _like_cards(resource: str) -> bool:
    return "/" in resource and not resource.startswith("rdma/")


def _tiers(manifests: ManifestSet) -> dict[tuple[str, str], str]:
    return {
        (str(made.cluster), made.key.name): _labels(made).get(conventions.LABEL_TIER, "")
        for made in manifests.of_kind("ResourceFlavor")
    }


def _pieces(state: State) -> dict[Place, Fraction]:
    """Return the cards of one piece, by cluster, flavor and resource, where the side has a spec."""
    clusters = state.fleet.clusters if state.fleet else ()
    return {
        (cluster.name, flavor.name, resource): unit.card_share
        for cluster in clusters
        for flavor in cluster.flavors
        for resource, unit in flavor.units.items()
    }


def _adopted_pieces(state: State) -> Iterator[tuple[Place, Fraction]]:
    """Yield the same of adopted flavors that stand for nodes of the fleet's; of several, they offer the same or nobody knows."""
    for cluster in state.fleet.clusters if state.fleet else ():
        for owner in cluster.adopted.objects:
            for name, resource, _, _ in owner.nominal():
                homes = standing_for(cluster.flavors, cluster.adopted, name, resource)
                shares = {flavor.units[resource].card_share for flavor in homes if resource in flavor.units}
                if len(shares) == 1:
                    yield (cluster.name, name, resource), shares.pop()


def _amount(quantity: object) -> int:
    """Return a quantity as whole pieces, rounded down; nothing is 0."""
    read = None if quantity is None else Quantity.parse(str(quantity))
    return read.whole if read else 0


def _spec(made: Manifest) -> Object:
    spec: Object = made.object.get("spec", {})  # type: ignore[assignment]  # objects are plain data of known kinds
    return spec


def _labels(made: Manifest) -> Mapping[str, str]:
    metadata: Any = made.object.get("metadata", {})
    labels: Mapping[str, str] = metadata.get("labels", {})
    return labels


def touched(rows: Iterable[QuotaRow], sums: Iterable[Balance]) -> tuple[tuple[QuotaRow, ...], tuple[Balance, ...]]:
    """Return what a report shows: rows of flavors and resources where some right or the capacity changed."""
    rows, sums = tuple(rows), tuple(sums)
    places = {(row.cluster, row.flavor, row.resource) for row in rows if row.changed}
    places |= {(sum_.cluster, sum_.flavor, sum_.resource) for sum_ in sums if sum_.capacity[0] != sum_.capacity[1]}
    return (
        tuple(row for row in rows if (row.cluster, row.flavor, row.resource) in places),
        tuple(one for one in sums if (one.cluster, one.flavor, one.resource) in places),
    )
