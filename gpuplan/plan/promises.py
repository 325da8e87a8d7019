"""What floors are worth before and after: a floor in cards is not a floor in nodes, and lent cards take time to come back.

Others' rights can break a floor that does not change itself, so every floor on a flavor that a change touches is judged anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster
from gpuplan.model.fragmentation import Floor, floors, nodes_of, room_left
from gpuplan.model.queues import Amount, Cohort, FlavorResource, Service, TaskPool
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.evictions import may_evict
from gpuplan.plan.promise import Promise, Worth

DEFAULT_GRACE: Final = 30
"""Seconds that Kubernetes gives a pod that asks for nothing else. What pods of pools without state ask for is not known."""
NOTHING: Final = Worth()


class Place(NamedTuple):
    """A floor's identity under the names of the new side; sorts as reports list it."""

    cluster: str
    flavor: str
    resource: str
    task_pool: str
    team: str


Found = Mapping[Place, tuple[str, str, Worth]]
"""By place: (queue, service class, worth)."""


def promises(comparison: Comparison) -> tuple[Promise, ...]:
    """Return the floors that are worth something else than before, or whose queue has other rights, sorted by place."""
    touched = {(row.cluster, row.flavor) for row in comparison.quotas if row.changed}
    touched |= {(one.cluster, one.flavor) for one in comparison.balances if one.capacity[0] != one.capacity[1]}
    rights = {
        Place(row.cluster, row.flavor, row.resource, row.task_pool, row.team)
        for row in comparison.quotas
        if row.changed
    }
    before = dict(_renamed(_worths(comparison, touched, new=False), comparison))
    after = dict(_worths(comparison, touched, new=True))
    return tuple(
        _promise(place, before.get(place), after.get(place))
        for place in sorted({*before, *after})
        if place in rights or before.get(place, _NOBODY)[2] != after.get(place, _NOBODY)[2]
    )


_NOBODY: Final = ("", "", NOTHING)


def _promise(place: Place, was: tuple[str, str, Worth] | None, will: tuple[str, str, Worth] | None) -> Promise:
    queue, service, _ = will or was or _NOBODY
    return Promise(
        cluster=place.cluster,
        queue=queue,
        team=place.team,
        task_pool=place.task_pool,
        service=service,
        flavor=place.flavor,
        resource=place.resource,
        old=was[2] if was else NOTHING,
        new=will[2] if will else NOTHING,
    )


def _renamed(
    found: Iterator[tuple[Place, tuple[str, str, Worth]]], comparison: Comparison
) -> Iterator[tuple[Place, tuple[str, str, Worth]]]:
    """Put floors of the old side under the names of the new one."""
    moves = comparison.moves
    for place, worth in found:
        yield (
            place._replace(
                cluster=moves.new_name("clusters", place.cluster),
                task_pool=moves.new_name("taskPools", place.task_pool),
                team=moves.new_name("teams", place.team),
            ),
            worth,
        )


def _worths(
    comparison: Comparison, touched: set[tuple[str, str]], *, new: bool
) -> Iterator[tuple[Place, tuple[str, str, Worth]]]:
    side = comparison.new if new else comparison.old
    for cluster in side.fleet.clusters if side.fleet else ():
        name = cluster.name if new else comparison.moves.new_name("clusters", cluster.name)
        flavors = [flavor for flavor in cluster.flavors if (name, flavor.name) in touched]
        borrowers = {
            (flavor.name, resource): tuple(_borrowers(cluster, (flavor.name, resource)))
            for flavor in flavors
            for resource in flavor.capacity
        }
        for floor in floors(flavors, cluster.cohorts):
            others = borrowers[floor.flavor.name, floor.resource]
            place = Place(cluster.name, floor.flavor.name, floor.resource, floor.task_pool.name, floor.queue.team.name)
            yield place, (floor.queue.name, floor.task_pool.service.value, worth(floor, others))


class Borrower(NamedTuple):
    """Who may borrow pieces: a queue, or a shared task pool as a whole under its own name."""

    name: str
    pool: TaskPool
    most: int


def worth(floor: Floor, others: Sequence[Borrower]) -> Worth:
    """Return what a floor is worth, among those who may borrow there."""
    amount = floor.queue.amounts[floor.flavor.name, floor.resource]
    borrowers = [one for one in others if amount.lend and one.name != floor.queue.name]
    kept = sum(one.most for one in borrowers if not _gives_back(floor, one.pool))
    graces = [one.pool.drain_seconds or DEFAULT_GRACE for one in borrowers if _gives_back(floor, one.pool)]
    return Worth(
        pieces=floor.pieces,
        cards=int(floor.pieces * _share(floor.flavor, floor.resource)),
        pod=floor.pod,
        pods=min(floor.pods, floor.left_beside_whole),
        **_whole_nodes(floor),
        lent=min(amount.lend, sum(one.most for one in borrowers)),
        exposed=min(amount.lend, kept),
        returns_seconds=max(graces, default=0),
    )


def _gives_back(floor: Floor, pool: TaskPool) -> bool:
    return may_evict(floor.task_pool.service.value, pool.service.value)


def _share(flavor: Flavor, resource: str) -> Fraction:
    return Fraction(flavor.units[resource].card_share)


def _borrowers(cluster: Cluster, item: FlavorResource) -> Iterator[Borrower]:
    """Yield who may borrow of one flavor and resource, and how much at most."""
    for cohort in cluster.cohorts:
        if item not in cohort.flavor_resources:
            continue
        if cohort.task_pool.service is Service.SHARED:
            beyond = cohort.shares[item].borrow if item in cohort.shares else 0
            if beyond:
                yield Borrower(cohort.task_pool.name, cohort.task_pool, beyond)
            continue
        for queue in cohort.queues:
            most = _beyond(cohort, queue.amounts[item])
            if most:
                yield Borrower(queue.name, cohort.task_pool, most)


def _beyond(cohort: Cohort, amount: Amount) -> int:
    return amount.borrow if cohort.task_pool.service.owns else amount.cap


def _whole_nodes(floor: Floor) -> dict[str, int]:
    """Return the whole nodes of the largest kind that the floor covers, and that others cannot break into."""
    nodes = nodes_of(floor.flavor, floor.resource)
    size = max(nodes)
    most = floor.pieces // size
    worst = min(most, room_left(nodes, size, floor.others))
    tidy = min(most, floor.left_beside_whole) if floor.pod == size else worst
    return {"whole_nodes": worst, "whole_nodes_if_tidy": max(worst, tidy)}
