"""How many whole pods a floor can count on when everybody else uses the worst of their rights.

Kueue counts pieces, nodes hold pods. Eight single cards that others hold by right can sit on eight nodes, and then an
eight-card pod inside its floor starts nowhere: a floor in cards is not a floor in nodes. This module answers, for
each floor of each flavor and resource: in the worst placement of all others, how many pods of the task pool's largest
size still find room?

**Who counts.** The floors of other queues, of the same task pool too, and what shared task pools own. Reclaimable work and
borrowed pieces give way: the owner of a floor takes them back, wherever they sit. A queued floor is weaker: it reclaims only
from lower priorities, so what guaranteed and queued work may borrow counts against it as well.

**How they may place themselves.** Anywhere, in pods of any size up to their task pool's largest. Single-piece pods are always
among them, so every way of spreading their pieces over nodes can happen, and the worst one is found exactly: a node with `c`
pieces holds `c // p` pods of `p`; its first such pod is lost to `c % p + 1` foreign pieces, each further one to `p` more. These
prices never fall from pod to pod of a node, so paying the cheapest first is the cheapest of all.

**What is not covered.** The domain sizes of topology levels above the host are unknown, so a required block or rack may
still lack room where this module sees enough. The queue's own smaller pods, its own affair, may be in its own way. Nodes that
are down, cordoned or taken by pods outside Kueue are not known here, and a node's pieces count as equal: no NUMA or NVLink
alignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath
from gpuplan.model.flavors import Flavor
from gpuplan.model.pools import produced_resources
from gpuplan.model.queues import Cohort, FlavorResource, Service, TaskPool, TeamQueue

Nodes = Mapping[int, int]
"""Pieces that one node holds -> number of such nodes."""


def nodes_of(flavor: Flavor, resource: str) -> dict[int, int]:
    """Return the nodes of a flavor by the pieces of one resource that each offers."""
    found: dict[int, int] = {}
    for pool in flavor.pools:
        for made in produced_resources(pool):
            if made.resource == resource:
                found[made.per_node] = found.get(made.per_node, 0) + pool.nodes
    return found


def room(nodes: Nodes, pod: int) -> int:
    """Return how many pods of `pod` pieces the empty nodes hold."""
    return sum(pieces // pod * count for pieces, count in nodes.items())


def _prices(nodes: Nodes, pod: int) -> Iterator[tuple[int, int]]:
    """Yield (foreign pieces that cost one pod its place, how many places have that price), the cheapest first."""
    found: dict[int, int] = {}
    for pieces, count in nodes.items():
        if pieces >= pod:
            first = pieces % pod + 1
            found[first] = found.get(first, 0) + count
            found[pod] = found.get(pod, 0) + (pieces // pod - 1) * count
    yield from sorted(found.items())


def room_left(nodes: Nodes, pod: int, others: int) -> int:
    """Return how many pods of `pod` pieces still fit when others place `others` pieces as badly as they can."""
    left = room(nodes, pod)
    for price, places in _prices(nodes, pod):
        lost = min(places, others // price)
        left, others = left - lost, others - lost * price
        if lost < places:
            break
    return left


def tolerable(nodes: Nodes, pod: int, pods: int) -> int:
    """Return the most pieces that others may hold while `pods` pods of `pod` pieces keep room in any placement.

    -1 where even empty nodes have no room for them.
    """
    spare = room(nodes, pod) - pods
    if spare < 0:
        return -1
    pieces = 0
    for price, places in _prices(nodes, pod):
        lost = min(places, spare)
        pieces, spare = pieces + lost * price, spare - lost
        if lost < places:
            return pieces + price - 1
    return sum(size * count for size, count in nodes.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A queue, or a shared task pool as a whole, that may keep pieces of one flavor and resource."""

    name: str
    pod: int
    """Most pieces that one of its pods asks for."""
    by_right: int
    borrowed: int
    """Pieces beyond them that a queued floor cannot take back."""
    path: KeyPath

    def keeps(self, against: Service) -> int:
        """Return the pieces that it need not give back to a floor of that service class."""
        return self.by_right + (self.borrowed if against is Service.QUEUED else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """One queue's floor in one flavor and resource, and its worst case."""

    task_pool: TaskPool
    queue: TeamQueue
    flavor: Flavor
    resource: str
    pieces: int
    pod: int
    """Pieces that must be free on one node: the task pool's largest pod, at most the floor itself."""
    pods: int
    """Pods of that size that the floor holds on nodes that nobody else uses."""
    others: int
    """Pieces that others may keep."""
    left: int
    """Pods that find room in the worst case; it may exceed `pods`."""
    tolerable: int
    """Pieces that others might keep without ever breaking the floor."""
    smaller: int
    """Pieces that others may keep whose largest pod is smaller than these."""
    left_beside_whole: int
    """Pods that find room in the worst case if all others use their rights in pods of their largest size only."""
    tolerable_smaller: int
    """Pieces in smaller pods that would never break the floor then; -1 where it breaks without any."""
    rivals: Sequence[Holder]
    """Everyone who may keep some, the queue itself too, the largest first."""

    @property
    def broken(self) -> bool:
        """Whether some placement of the others leaves its pods without room."""
        return self.left < self.pods

    @property
    def broken_by_smaller(self) -> bool:
        """Whether it is broken even if all pods as large as its own keep their size."""
        return self.broken and self.left_beside_whole < self.pods

    @property
    def holders(self) -> tuple[Holder, ...]:
        """The others, the largest first."""
        own = self.queue.amounts[self.flavor.name, self.resource].path
        return tuple(holder for holder in self.rivals if holder.path != own)


def floors(flavors: Iterable[Flavor], cohorts: Iterable[Cohort]) -> Iterator[Floor]:
    """Judge every floor of a cluster, in the order of its flavors, task pools and queues."""
    cohorts = tuple(cohorts)
    for flavor in flavors:
        using = [cohort for cohort in cohorts if flavor in cohort.flavors]
        for resource in flavor.capacity:
            yield from _floors(flavor, resource, using)


def _floors(flavor: Flavor, resource: str, cohorts: list[Cohort]) -> Iterator[Floor]:
    item = (flavor.name, resource)
    holders = [holder for cohort in cohorts for holder in _holders(cohort, item)]
    scenes = {service: _Scene.of(flavor, resource, holders, service) for service in Service if service.owns}
    for cohort in cohorts:
        scene = scenes.get(cohort.task_pool.service)
        for queue in cohort.queues if scene else ():
            if scene and queue.amounts[item].guaranteed:
                yield scene.judge(cohort.task_pool, queue)


def on_one_node(pool: TaskPool) -> int:
    """Return the pieces that must sit on one node: a pod's, or the whole job's where the host is its required level."""
    job, topology = pool.largest_job, pool.topology
    together = topology.mode == "required" and topology.level == conventions.LABEL_HOSTNAME
    return job.total if together else job.per_pod


def _holders(cohort: Cohort, item: FlavorResource) -> Iterator[Holder]:
    pool, pod = cohort.task_pool, cohort.task_pool.largest_job.per_pod
    if pool.service is Service.SHARED and item in cohort.shares:
        share = cohort.shares[item]
        reach = min(share.nominal, sum(queue.amounts[item].cap for queue in cohort.queues))
        if reach:
            yield Holder(name=pool.name, pod=pod, by_right=reach, borrowed=0, path=share.path)
    elif pool.service.owns:
        for queue in cohort.queues:
            amount = queue.amounts[item]
            if amount.guaranteed or amount.borrow:
                yield Holder(
                    name=queue.name, pod=pod, by_right=amount.guaranteed, borrowed=amount.borrow, path=amount.path
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """One flavor and resource as floors of one service class find it: nodes, and what all holders keep, added up once."""

    flavor: Flavor
    resource: str
    nodes: Nodes
    service: Service
    rivals: tuple[Holder, ...]
    kept: int
    kept_by_pod: Mapping[int, int]
    whole_by_pod: Mapping[int, int]
    """Size of the largest pod -> pods of just that size that fit into the rights of its holders."""

    @classmethod
    def of(cls, flavor: Flavor, resource: str, holders: Iterable[Holder], service: Service) -> _Scene:
        rivals = sorted(holders, key=lambda holder: (-holder.keeps(service), holder.name))
        kept: dict[int, int] = {}
        whole: dict[int, int] = {}
        for holder in rivals:
            kept[holder.pod] = kept.get(holder.pod, 0) + holder.keeps(service)
            whole[holder.pod] = whole.get(holder.pod, 0) + holder.by_right // holder.pod
        return cls(
            flavor=flavor,
            resource=resource,
            nodes=nodes_of(flavor, resource),
            service=service,
            rivals=tuple(holder for holder in rivals if holder.keeps(service)),
            kept=sum(kept.values()),
            kept_by_pod=kept,
            whole_by_pod=whole,
        )

    def judge(self, pool: TaskPool, queue: TeamQueue) -> Floor:
        """Judge a floor, which is more than 0."""
        amount = queue.amounts[self.flavor.name, self.resource]
        floor, nodes = amount.guaranteed, self.nodes
        own = floor + (amount.borrow if self.service is Service.QUEUED else 0)
        free = max(self.flavor.capacity[self.resource] - floor, 0)
        pod = min(on_one_node(pool), floor)
        pods = min(floor // pod, room(nodes, pod))
        others = min(self.kept - own, free)
        size = pool.largest_job.per_pod
        smaller = sum(kept for other, kept in self.kept_by_pod.items() if other < pod) - (own if size < pod else 0)
        smaller = min(smaller, free)
        places = {other: count * -(-other // pod) for other, count in self.whole_by_pod.items() if other >= pod}
        beside = sum(places.values()) - (floor // size * -(-size // pod) if size >= pod else 0)
        return Floor(
            task_pool=pool,
            queue=queue,
            flavor=self.flavor,
            resource=self.resource,
            pieces=floor,
            pod=pod,
            pods=pods,
            others=others,
            left=room_left(nodes, pod, others),
            tolerable=tolerable(nodes, pod, pods),
            smaller=smaller,
            left_beside_whole=max(room_left(nodes, pod, smaller) - beside, 0),
            tolerable_smaller=tolerable(nodes, pod, pods + beside),
            rivals=self.rivals,
        )
