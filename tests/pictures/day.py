"""The day: which jobs come to each queue, when they get cards, where they run, and how they end.

A small scheduler of whole minutes: queues take their turn, a job starts when its queue's quota and nodes have room, and a
pod holds slots (cards, shares or instances) of one node. Numbers come from a generator with a fixed seed.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, produced_resources
from gpuplan.model.queues import Amount, Cohort, Service, TaskKind, TeamQueue
from gpuplan.model.sharing import SharingMode
from tests.pictures.samples import MINUTES

LIFETIME = {
    TaskKind.TRAINING: (60, 300),
    TaskKind.ONLINE_INFERENCE: (MINUTES * 3, MINUTES * 3),
    TaskKind.BATCH_INFERENCE: (12, 45),
    TaskKind.EXPERIMENT: (40, 300),
}
"""Shortest and longest run of a job, in minutes."""
EVERY = {
    TaskKind.TRAINING: 0,
    TaskKind.ONLINE_INFERENCE: 0,
    TaskKind.BATCH_INFERENCE: 6,
    TaskKind.EXPERIMENT: 14,
}
"""Minutes between two jobs of a queue; 0 for as many as the queue's quota is good for."""
LAZY = {
    TaskKind.TRAINING: 0.15,
    TaskKind.ONLINE_INFERENCE: 0,
    TaskKind.BATCH_INFERENCE: 0,
    TaskKind.EXPERIMENT: 0.4,
}
"""Part of the jobs that soon do nothing with their cards."""
LOAD = 0.6
"""What training asks for, against its quota."""
BEFORE = 600
"""Minutes of yesterday that are played, so that the day does not begin with an empty cluster."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What one unit of a resource is: a card of a node, a share of it, or an instance."""

    node: str
    card: int
    instance: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that holds slots of one node."""

    name: str
    node: str
    slots: tuple[Slot, ...]


@dataclass(slots=True, kw_only=True)
class Job:
    """A job of a queue; times are minutes of the day, those of yesterday below 0, those that never come at the end."""

    name: str
    queue: TeamQueue
    cohort: Cohort
    namespace: str
    pool: NodePool
    resource: str
    pods_wanted: int
    units: int
    budget: int
    submitted: int
    minutes: int
    succeeds: bool
    lazy: bool
    """Whether it sits on its cards for hours and does nothing with them."""
    admitted: int = MINUTES
    start_minutes: int = 0
    pods: list[Pod] = field(default_factory=list)

    @property
    def ready(self) -> int:
        """Minute in which its pods are ready."""
        return self.admitted + self.start_minutes

    @property
    def ended(self) -> int:
        """Minute in which it ends."""
        return self.admitted + self.minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A cluster, its nodes by pool, and the jobs of the day."""

    cluster: Cluster
    nodes: dict[str, tuple[str, ...]]
    jobs: tuple[Job, ...]


def node_names(pool: NodePool) -> tuple[str, ...]:
    """Return the names of a pool's nodes."""
    return tuple(f"{pool.name}-{number:02d}" for number in range(pool.nodes))


def slots(pool: NodePool) -> Iterator[tuple[str, Slot]]:
    """Yield what the nodes of a pool offer, with the name of its resource."""
    made = produced_resources(pool)
    for node in node_names(pool):
        for card in range(pool.cards_per_node):
            if pool.sharing.mode is SharingMode.MIG:
                yield from ((name, slot) for name, slot in _instances(pool, node, card))
                continue
            for one in made:
                for _ in range(one.per_node // pool.cards_per_node):
                    yield one.resource, Slot(node, card)


def _instances(pool: NodePool, node: str, card: int) -> Iterator[tuple[str, Slot]]:
    group = next(group for group in pool.sharing.groups if card in group.indexes)
    resources = {one.unit.part: one.resource for one in produced_resources(pool)}
    number = 0
    for profile, count in group.profiles or (("", 1),):
        for _ in range(count):
            yield resources[profile or "card"], Slot(node, card, str(number) if profile else "", profile)
            number += 1


def day(cluster: Cluster) -> Day:
    """Return the day of a cluster; jobs that began yesterday are there from its first minute."""
    free: dict[tuple[str, str], list[Slot]] = {}
    for pool in cluster.pools:
        for resource, slot in slots(pool):
            free.setdefault((pool.name, resource), []).append(slot)
    jobs = sorted(_submitted(cluster), key=lambda job: (job.submitted, job.name))
    waiting, running, used = list(jobs), list[Job](), dict[tuple[str, str, str], int]()
    for minute in range(-BEFORE, MINUTES):
        for job in [one for one in running if one.ended <= minute]:
            running.remove(job)
            used[_account(job)] -= job.units * job.pods_wanted
            free[job.pool.name, job.resource].extend(slot for pod in job.pods for slot in pod.slots)
        for job in [one for one in waiting if one.submitted <= minute]:
            if _starts(job, used, free[job.pool.name, job.resource]):
                job.admitted = minute
                waiting.remove(job)
                running.append(job)
    return Day(cluster=cluster, nodes={pool.name: node_names(pool) for pool in cluster.pools}, jobs=tuple(jobs))


def _account(job: Job) -> tuple[str, str, str]:
    return job.queue.name, job.pool.name, job.resource


def _starts(job: Job, used: dict[tuple[str, str, str], int], free: list[Slot]) -> bool:
    """Take quota and slots for a job, all of its pods or none."""
    needed = job.units * job.pods_wanted
    if used.get(_account(job), 0) + needed > job.budget:
        return False
    by_node: dict[str, list[Slot]] = {}
    for slot in free:
        by_node.setdefault(slot.node, []).append(slot)
    pods: list[Pod] = []
    for node, there in sorted(by_node.items()):
        for first in range(0, len(there) - job.units + 1, job.units):
            if len(pods) < job.pods_wanted:
                taken = tuple(there[first : first + job.units])
                pods.append(Pod(name=f"{job.name}-{len(pods)}", node=node, slots=taken))
    if len(pods) < job.pods_wanted:
        return False
    for pod in pods:
        for slot in pod.slots:
            free.remove(slot)
    used[_account(job)] = used.get(_account(job), 0) + needed
    job.pods = pods
    return True


def _submitted(cluster: Cluster) -> Iterator[Job]:
    for cohort in cluster.cohorts_with_queues:
        for queue in cohort.queues:
            dice = random.Random(zlib.crc32(queue.name.encode()))
            for flavor in cohort.flavors:
                for resource in flavor.capacity:
                    amount = queue.amounts.get((flavor.name, resource))
                    budget = _budget(cohort, queue, (flavor.name, resource), amount, flavor.capacity[resource])
                    if budget:
                        yield from _of_queue(cohort, queue, flavor.pools, resource, budget, dice)


def _budget(cohort: Cohort, queue: TeamQueue, key: tuple[str, str], amount: Amount | None, capacity: int) -> int:
    """Return how many units a queue uses at most: its floor and half of what it may borrow, or its part of a shared pool."""
    match cohort.task_pool.service:
        case Service.SHARED:
            weights = sum(one.weight for one in cohort.queues)
            return cohort.shares[key].nominal * queue.weight // weights if key in cohort.shares else 0
        case Service.RECLAIMABLE:
            return capacity // 8
        case _:
            return amount.guaranteed + min(amount.borrow, amount.guaranteed) // 2 if amount else 0


def _of_queue(
    cohort: Cohort, queue: TeamQueue, pools: tuple[NodePool, ...], resource: str, budget: int, dice: random.Random
) -> Iterator[Job]:
    kind, largest = cohort.task_pool.kind, cohort.task_pool.largest_job
    shortest, longest = LIFETIME[kind]
    units = min(largest.per_pod, budget)
    sizes = (min(largest.pods, budget // units), 1, 1) if kind is TaskKind.TRAINING else (1,)
    fits = budget / units / (sum(sizes) / len(sizes))
    every = EVERY[kind] or (shortest + longest) / 2 / fits / LOAD
    served = kind is TaskKind.ONLINE_INFERENCE
    size = f"-{resource.rpartition('mig-')[2].replace('.', '')}" if "mig-" in resource else ""
    times = [-BEFORE] * max(1, budget * 4 // 5 // units) if served else _arrivals(kind, every, dice)
    for number, time in enumerate(times):
        pods = sizes[number % len(sizes)]
        yield Job(
            name=f"{cohort.task_pool.name}-{queue.team.name}-{pools[0].name}{size}-{number:03d}",
            queue=queue,
            cohort=cohort,
            namespace=queue.team.namespaces[-1 if kind is TaskKind.TRAINING else 0],
            pool=pools[number % len(pools)],
            resource=resource,
            budget=budget,
            pods_wanted=pods,
            units=units,
            submitted=time,
            minutes=dice.randint(shortest, longest),
            succeeds=dice.random() < 0.94,
            lazy=dice.random() < LAZY[kind],
            start_minutes=dice.choice((1, 1, 2, 3, 6)),
        )


def _arrivals(kind: TaskKind, every: float, dice: random.Random) -> list[int]:
    """Return when jobs come: experiments in office hours, batches by night, training at any time."""
    times: list[int] = []
    now = -BEFORE
    while now < MINUTES:
        hour = now // 60 % 24
        office = 7 <= hour < 19
        rare = (kind is TaskKind.EXPERIMENT and not office) or (kind is TaskKind.BATCH_INFERENCE and office)
        now += max(1, round(dice.expovariate(1 / (every * (3 if rare else 1)))))
        times.append(now)
    return times
