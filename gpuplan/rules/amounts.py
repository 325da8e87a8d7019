"""Quotas, as rules look at them: where a number stands, what it counts, and how far a queue reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import KeyPath
from gpuplan.model.adopted_quota import claims
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Cohort, FlavorResource, PoolShare, TaskPool, Team, TeamQueue
from gpuplan.model.quota_tree import NO_QUOTA
from gpuplan.model.sharing import WHOLE_CARD
from gpuplan.words import counted


def cohorts(fleet: Fleet) -> Iterator[tuple[Cluster, Cohort]]:
    """Yield every task pool in every cluster where it has cards."""
    return ((cluster, cohort) for cluster in fleet.clusters for cohort in cluster.cohorts)


def cohorts_of(fleet: Fleet, pool: TaskPool) -> Iterator[tuple[Cluster, Cohort]]:
    """Yield one task pool in every cluster where it has cards."""
    return ((cluster, cohort) for cluster, cohort in cohorts(fleet) if cohort.task_pool.name == pool.name)


def flavors_of(fleet: Fleet, pool: TaskPool) -> list[Flavor]:
    """Return a task pool's flavors in all clusters."""
    return [flavor for _, cohort in cohorts_of(fleet, pool) for flavor in cohort.flavors]


def choices(fleet: Fleet, pool: TaskPool) -> list[tuple[Flavor, ...]]:
    """Return the flavors, in each cluster, between which a job of a task pool can move: those that offer one GPU resource.

    Companions such as cpu join flavors into one resource group of Kueue's, but no job that asks for a card can move there.
    """
    found: dict[tuple[str, ...], tuple[Flavor, ...]] = {}
    for cluster, cohort in cohorts_of(fleet, pool):
        for resource in dict.fromkeys(resource for _, resource, _ in usable(cohort)):
            several = {flavor.name: flavor for flavor in cohort.flavors if resource in flavor.capacity}
            if len(several) > 1:
                found.setdefault((cluster.name, *several), tuple(several.values()))
    return list(found.values())


def apart(fleet: Fleet, pool: TaskPool) -> tuple[Flavor, ...]:
    """Return a task pool's flavors in the first cluster where it has several of which no two share a GPU resource."""
    for _, cohort in cohorts_of(fleet, pool):
        own = {flavor.name: flavor for flavor in cohort.flavors}
        names = [name for flavor in own.values() for name in flavor.capacity]
        if len(own) > 1 and len(names) == len(set(names)):
            return tuple(own.values())
    return ()


def offers(cluster: Cluster) -> Iterator[tuple[Flavor, str, FlavorResource]]:
    """Yield each flavor of a cluster with each resource that it produces."""
    return ((flavor, name, (flavor.name, name)) for flavor in cluster.flavors for name in flavor.capacity)


def usable(cohort: Cohort) -> Iterator[tuple[Flavor, str, FlavorResource]]:
    """Yield each flavor of a task pool with each resource that it produces."""
    return ((flavor, name, (flavor.name, name)) for flavor in cohort.flavors for name in flavor.capacity)


def pieces(number: int, flavor: Flavor, resource: str) -> str:
    """Return a number of pieces in words: 1 card, 8 shares of 1/4 card, 3 instances of 1g.5gb."""
    part = flavor.units[resource].part
    if part == WHOLE_CARD.part:
        return counted(number, part)
    return f"{counted(number, 'share' if '/' in part else 'instance')} of {part}"


def offer(flavor: Flavor, resource: str) -> str:
    """Return a flavor's name, with the resource where it offers several."""
    return f"`{flavor.name}`" if len(flavor.capacity) == 1 else f"`{flavor.name}` (`{resource}`)"


def borrow_path(share: PoolShare) -> KeyPath:
    """Return where a shared task pool says what it may borrow beyond what it owns."""
    return tuple("poolBorrow" if index == 2 else part for index, part in enumerate(share.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A queue or a shared task pool that owns pieces of one flavor and resource."""

    name: str
    pieces: int
    path: KeyPath
    """Where that number stands."""


def owners(cluster: Cluster, item: FlavorResource) -> Iterator[Owner]:
    """Yield everyone who owns pieces: by task pools and teams in their order, then by adopted queues."""
    for cohort in cluster.cohorts:
        share = cohort.shares.get(item)
        if share and share.nominal:
            yield Owner(name=f"shared pool `{cohort.task_pool.name}`", pieces=share.nominal, path=share.path)
        for queue in cohort.queues:
            amount = queue.amounts.get(item)
            if amount and amount.guaranteed:
                yield Owner(name=f"`{queue.name}`", pieces=amount.guaranteed, path=(*amount.path, "guaranteed"))
    for claim in claims(cluster.flavors, cluster.adopted):
        if claim.item == item:
            yield Owner(name=claim.name, pieces=claim.amount, path=claim.path)


def overdrawn(cluster: Cluster, flavor: Flavor, resource: str) -> bool:
    """Tell whether more is given out than exists; other rules then say nothing about these numbers."""
    return cluster.quota.root.limits[flavor.name, resource].nominal < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The most that one job in a queue could ever hold, and where."""

    cluster: Cluster
    queue: TeamQueue
    pieces: int
    flavor: Flavor
    resource: str


def reach(cluster: Cluster, cohort: Cohort, queue: TeamQueue) -> Reach | None:
    """Return how far a queue reaches in its best flavor; None where a sum above capacity spoils the numbers."""
    best: Reach | None = None
    for flavor, resource, item in usable(cohort):
        if overdrawn(cluster, flavor, resource):
            return None
        number = cluster.quota.potential(queue.name, item)
        if best is None or number > best.pieces:
            best = Reach(cluster=cluster, queue=queue, pieces=number, flavor=flavor, resource=resource)
    return best


def reaches(fleet: Fleet, pool: TaskPool) -> Iterator[Reach]:
    """Yield the reach of every queue of a task pool."""
    for cluster, cohort in cohorts_of(fleet, pool):
        for queue in cohort.queues:
            found = reach(cluster, cohort, queue)
            if found:
                yield found


def fits_the_hardware(fleet: Fleet, pool: TaskPool) -> bool:
    """Tell whether some flavor is as large as the task pool's largest job, so that only quota can be in its way."""
    flavors = flavors_of(fleet, pool)
    return any(pool.largest_job.total <= number for flavor in flavors for number in flavor.capacity.values())


def stranded(cluster: Cluster, flavor: Flavor, resource: str) -> int:
    """Return how many pieces stay idle when every queue holds all that it may."""
    item = (flavor.name, resource)
    used = sum(_most(cluster, cohort, item) for cohort in cluster.cohorts if flavor in cohort.flavors)
    used += cluster.quota.adopted.get(item, 0)
    return max(flavor.capacity[resource] - used, 0)


def _most(cluster: Cluster, cohort: Cohort, item: FlavorResource) -> int:
    """Return the most that the queues of a task pool may hold together."""
    quota, name = cluster.quota, cohort.name
    limits = [quota.queues[queue.name].limits[item] for queue in cohort.queues]
    together = sum(limit.nominal + (limit.borrowing or 0) for limit in limits)
    own = quota.cohorts[name].limits.get(item, NO_QUOTA)
    if own.borrowing is None:
        return together
    return min(together, quota.subtrees[name].get(item, 0) + own.borrowing)


def teams_with_queues(fleet: Fleet) -> list[Team]:
    """Return the teams that have a queue in some cluster, in the order of the spec."""
    present = {team.name for cluster in fleet.clusters for team in cluster.teams}
    return [team for team in fleet.teams if team.name in present]
