"""What a drill is about: the pool with what the fleet says of it, the nodes that were chosen, and how long things may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplan.catalog import Vendor
from gpuplan.drill.marks import Kind
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, allocatable, node_labels

Queue = tuple[str, str]
"""(namespace, local queue)."""
ALERT = "GpuNodeConditionBad"
"""The alert that is rendered on conditions of nodes (`emit/monitoring/state/verdicts.py`)."""
FALLBACK_CONDITION = "GpuHealthy"
"""What a fault drill sets where neither the fleet nor the catalogue names a condition; nothing can react to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a drill waits for each thing, in seconds, before it gives up and takes everything back."""

    budget: float = 900.0
    """For a disruption budget to allow the next eviction."""
    end: float = 60.0
    """For a pod to be gone after its grace is over."""
    ready: float = 900.0
    """For the replacements of a node's pods to be ready."""
    isolate: float = 180.0
    alert: float = 600.0
    """The rule waits for five minutes itself."""
    back: float = 180.0
    """For a node to take work again."""
    unreachable: float = 120.0
    """For a server that does not answer."""
    hold: float = 60.0
    """After its last sign of life a drill is taken for dead. It gives one twice as often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """The condition by which a node is made to look broken. `isolates` and `alerts` say whether what is rendered reacts."""

    condition: str
    healthy: bool
    """Its status on a healthy node."""
    isolates: bool
    alerts: bool
    why: str
    """Why it is this one, and what does not react to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What the fleet says of a pool: how its nodes are known, what they offer, and which work may be on them."""

    fleet: str
    cluster: str
    name: str
    labels: Mapping[str, str]
    peers: tuple[Mapping[str, str], ...]
    """Labels of the pools of its flavor, its own among them: where its work can go."""
    offered: Mapping[str, int]
    """Pieces of each resource that each node offers."""
    stateful: Mapping[Queue, int]
    """Queues of stateful task pools, with the grace of their pods in seconds."""
    owning: frozenset[Queue]
    """Queues that have cards of their own, guaranteed ones and queued ones."""
    yielding: frozenset[Queue]
    """Queues of reclaimable task pools, whose work gives way."""
    floors: Mapping[str, int]
    """Pieces of each resource that queues are promised on the flavor."""
    capacity: Mapping[str, int]
    """Pieces of each resource that all nodes of the flavor offer."""
    running: tuple[str, ...]
    """Metrics of the engines in its stateful task pools that count running requests."""
    symptom: Symptom


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One drill."""

    drill: str
    """Its name, of which there is no other."""
    who: str
    """The machine and process that run it, for people."""
    kind: Kind
    pool: Pool
    nodes: tuple[str, ...]
    """One after the other, in this order."""
    limits: Limits = field(default_factory=Limits)
    watches_alert: bool = False
    """Whether a Prometheus can be asked for the alert."""
    watches_receipt: bool = False
    """Whether an Alertmanager can be asked for it."""
    pause: float = 2.0
    """Seconds between two looks."""


def pool_of(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Pool:
    """Return what a fleet says of one of its pools."""
    flavors = [one for one in cluster.flavors if pool.name in {part.name for part in one.pools}]
    cohorts = cluster.users_of((pool,))
    queues = {
        (namespace, cohort.local_queue): cohort.task_pool
        for cohort in cohorts
        for queue in cohort.queues
        for namespace in queue.team.namespaces
    }
    return Pool(
        fleet=fleet.name,
        cluster=cluster.name,
        name=pool.name,
        labels=node_labels(pool),
        peers=tuple(node_labels(part) for one in flavors for part in one.pools) or (node_labels(pool),),
        offered={made.resource: made.per_node for made in allocatable(pool)},
        stateful={queue: task.drain_seconds for queue, task in queues.items() if task.stateful},
        owning=frozenset(queue for queue, task in queues.items() if task.service.owns),
        yielding=frozenset(queue for queue, task in queues.items() if task.service.value == "reclaimable"),
        floors=_floors(cluster, flavors),
        capacity={name: amount for one in flavors for name, amount in one.capacity.items()},
        running=_running(fleet, cluster, pool),
        symptom=symptom(fleet, cluster, pool),
    )


def _floors(cluster: Cluster, flavors: list[Flavor]) -> dict[str, int]:
    names, found = {one.name for one in flavors}, dict[str, int]()
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            for (flavor, resource), amount in queue.amounts.items():
                if flavor in names:
                    found[resource] = found.get(resource, 0) + amount.guaranteed
    return found


def _running(fleet: Fleet, cluster: Cluster, pool: NodePool) -> tuple[str, ...]:
    """Return the gauges that count running requests, of the versions of engines that the fleet names."""
    servings = [one.task_pool.serving for one in cluster.users_of((pool,)) if one.task_pool.stateful]
    metric = fleet.catalog.serving.metric
    found = {metric(serving.engine, "running", serving.version) for serving in servings if serving}
    return tuple(sorted(found - {""}))


def symptom(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Symptom:
    """Choose the condition that what is rendered reacts to: the fleet's own first, else one that raises an alert alone."""
    health = fleet.governance.node_health
    if cluster.name in health.clusters and health.conditions:
        condition, healthy = health.conditions[0]
        dry = " Its rules are in dry run, so that the controller taints nothing." if health.dry_run else ""
        why = f"governance.nodeHealth judges nodes by it.{dry}"
        return Symptom(condition=condition, healthy=healthy, isolates=not health.dry_run, alerts=True, why=why)
    alone = "No rule of this fleet isolates a node by a condition (governance.nodeHealth is off on this cluster)"
    known = [
        one
        for one in fleet.catalog.conditions.values()
        if not one.distributions or cluster.distribution in one.distributions
    ]
    if known and pool.card.vendor is Vendor.NVIDIA:
        one = min(known, key=lambda found: (not found.distributions, found.name))
        return Symptom(
            condition=one.name,
            healthy=not one.broken,
            isolates=False,
            alerts=True,
            why=f"{alone}; an alert watches it.",
        )
    return Symptom(
        condition=FALLBACK_CONDITION,
        healthy=True,
        isolates=False,
        alerts=False,
        why=f"{alone}, and no alert watches one.",
    )
