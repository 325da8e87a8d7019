"""Task pools, teams and their quotas, resolved for each cluster."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath
from gpuplan.model.flavors import Flavor
from gpuplan.model.monitoring import Serving
from gpuplan.model.reclaim import IdlePolicy

FlavorResource = tuple[str, str]
"""(flavor name, resource name): what Kueue keeps a quota for."""


class TaskKind(enum.Enum):
    """What a task pool runs; the value is the spelling in the spec."""

    TRAINING = "training"
    BATCH_INFERENCE = "batchInference"
    ONLINE_INFERENCE = "onlineInference"
    EXPERIMENT = "experiment"


class Service(enum.Enum):
    """The service classes, in the order of their priority bands, highest first."""

    GUARANTEED = "guaranteed"
    QUEUED = "queued"
    SHARED = "shared"
    RECLAIMABLE = "reclaimable"

    @property
    def owns(self) -> bool:
        """Whether its queues have floors, cards of their own, rather than a part of a pool or what is idle."""
        return self in (Service.GUARANTEED, Service.QUEUED)


PRIORITY_LEVELS: Mapping[str, int] = {"low": -100, "normal": 0, "high": 100}
"""Levels inside a band and their distance from its middle."""

BAND_MIDDLE: Mapping[Service, int] = {
    Service.GUARANTEED: 4000,
    Service.QUEUED: 3000,
    Service.SHARED: 2000,
    Service.RECLAIMABLE: 1000,
}
"""The priority of a service class's normal level. Bands never touch: levels span 200 of 1000."""


def band(service: Service) -> dict[str, int]:
    """Return the WorkloadPriorityClasses of a service class: name -> priority value, lowest first."""
    return {
        conventions.priority_class_name(service.value, level): BAND_MIDDLE[service] + distance
        for level, distance in PRIORITY_LEVELS.items()
    }


class Fallback(enum.Enum):
    """How a task pool moves along its tiers."""

    NONE = "none"
    """One tier only."""
    NEXT_TIER = "nextTier"
    """Go on before borrowing or preempting."""
    LAST_RESORT = "lastResort"
    """Borrow and preempt in the first tier before going on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestJob:
    """The largest job a task pool must be able to start: `pods` at once, each asking `per_pod` pieces of one resource."""

    pods: int
    per_pod: int

    @property
    def total(self) -> int:
        """Pieces that the whole job asks for."""
        return self.pods * self.per_pod


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyRequest:
    """Where the pods of a job must sit together. `mode` is required, preferred or none."""

    mode: str = "none"
    level: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPool:
    """A kind of work with one service class, as the whole fleet knows it."""

    name: str
    cohort: str
    """Name of its Cohort in every cluster."""
    local_queue: str
    """Name of its LocalQueue in every namespace that has one: what jobs name."""
    priority_classes: Mapping[str, int]
    """WorkloadPriorityClasses that its jobs may have, with their values, lowest first."""
    pod_priority_class: str
    """The only PriorityClass that its pods may name."""
    kind: TaskKind
    service: Service
    tiers: tuple[str, ...]
    fallback: Fallback
    strict: bool
    """Kueue's StrictFIFO rather than BestEffortFIFO."""
    largest_job: LargestJob
    topology: TopologyRequest
    stateful: bool
    drain_seconds: int
    """Seconds that a stateful pod gets to hand over; 0 for others."""
    frameworks: tuple[str, ...]
    """Short names of the workload kinds it runs: job, pod, deployment, …"""
    serving: Serving | None
    """The engine that answers requests; None where the spec names none."""
    idle: IdlePolicy
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What one queue gets of one flavor and resource, in pieces of that resource, as the spec says it."""

    guaranteed: int
    borrow: int
    lend: int
    cap: int
    """Most that a queue of a shared or reclaimable task pool may hold."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolShare:
    """What a shared task pool owns of one flavor and resource as a whole, and may borrow beyond it."""

    nominal: int
    borrow: int
    path: KeyPath

    @property
    def most(self) -> int:
        """All that its teams may hold together."""
        return self.nominal + self.borrow


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """People with namespaces, quotas and somebody who answers alerts."""

    name: str
    namespaces: tuple[str, ...]
    groups: tuple[str, ...]
    cost_center: str
    receiver: str
    owners: tuple[str, ...]
    """Who is asked before a change takes something from it."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamQueue:
    """The ClusterQueue of one team in one task pool of one cluster."""

    name: str
    team: Team
    weight: int
    """Fair-sharing weight; 1 unless the task pool is shared."""
    amounts: Mapping[FlavorResource, Amount]
    """One entry for every flavor and resource of the task pool in this cluster."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceGroup:
    """Kueue's resource group: every flavor lists every resource, in this order."""

    resources: tuple[str, ...]
    flavors: tuple[Flavor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """A task pool in one cluster: its flavors in fallback order, the shared quota it owns, and its teams' queues."""

    task_pool: TaskPool
    groups: tuple[ResourceGroup, ...]
    shares: Mapping[FlavorResource, PoolShare]
    """Non-empty for shared task pools only."""
    queues: tuple[TeamQueue, ...]

    @property
    def name(self) -> str:
        """Name of its object, which is most often that of the task pool."""
        return self.task_pool.cohort

    @property
    def local_queue(self) -> str:
        """Name of the task pool's LocalQueues."""
        return self.task_pool.local_queue

    @property
    def flavors(self) -> tuple[Flavor, ...]:
        """Every flavor of the task pool in this cluster, in fallback order within each group."""
        return tuple(flavor for group in self.groups for flavor in group.flavors)

    @property
    def flavor_resources(self) -> tuple[FlavorResource, ...]:
        """Every flavor with each resource that it really produces."""
        return tuple((flavor.name, resource) for flavor in self.flavors for resource in flavor.capacity)


def resource_groups(flavors: tuple[Flavor, ...]) -> tuple[ResourceGroup, ...]:
    """Split flavors into Kueue's resource groups: flavors that share any resource name belong together.

    Groups are the connected components of "offers a common resource", companions such as cpu among them; each covers the
    union of its names, sorted, and keeps the given order of flavors. Groups come in the order of their first flavor.
    """
    groups: list[tuple[set[str], list[Flavor]]] = []
    for flavor in flavors:
        names = {*flavor.capacity, *flavor.companions}
        joined = [group for group in groups if group[0] & names]
        members = [member for group in joined for member in group[1]]
        merged = (names.union(*(group[0] for group in joined)), [*members, flavor])
        position = groups.index(joined[0]) if joined else len(groups)
        groups = [group for group in groups if group not in joined]
        groups.insert(position, merged)
    order = {flavor.name: index for index, flavor in enumerate(flavors)}
    return tuple(
        ResourceGroup(
            resources=tuple(sorted(names)), flavors=tuple(sorted(members, key=lambda member: order[member.name]))
        )
        for names, members in groups
    )


def fenced(groups: tuple[ResourceGroup, ...], cluster: tuple[Flavor, ...]) -> tuple[ResourceGroup, ...]:
    """Return a queue's groups with the cards of the cluster's other flavors among the resources of the first.

    Kueue leaves a resource that no group covers to the scheduler (`quotaCheckStrategy: IgnoreUndeclared`): a job that asks
    for another tier's card would be admitted without a quota and take a card of somebody's floor. Covered with quota 0, it
    waits, and Kueue says why.
    """
    covered = {name for group in groups for name in group.resources}
    foreign = {name for flavor in cluster for name in flavor.capacity} - covered
    first, *rest = groups
    return (ResourceGroup(resources=tuple(sorted({*first.resources, *foreign})), flavors=first.flavors), *rest)
