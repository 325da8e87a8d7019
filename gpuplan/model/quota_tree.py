"""Kueue's quota tree of one cluster, and its arithmetic (Kueue, pkg/cache/scheduler/resource_node.go).

The tree is root cohort -> task pool cohorts -> ClusterQueues. For each flavor and resource the nominal quotas of the whole
tree add up to the hardware: whatever no queue and no shared pool owns sits on the root, where everyone who may borrow
finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import Amount, Cohort, FlavorResource, Service
from gpuplan.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Kueue's numbers of one node of the tree for one flavor and resource; None is Kueue's "unlimited".

    Pieces for GPU resources, billionths of the unit for companions (`gpuplan.quantity`).
    """

    nominal: int
    borrowing: int | None = None
    lending: int | None = None


NO_QUOTA = Limit(nominal=0)
NOBODY: Mapping[FlavorResource, int] = {}
UNIT = 10**9
MILLI = 10**6
MEBI = 2**20 * UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaNode:
    """A ClusterQueue or Cohort in the tree. The root's parent is empty."""

    name: str
    parent: str
    limits: Mapping[FlavorResource, Limit]
    weight: int = 1
    """Fair-sharing weight; 0 makes its borrowers the first victims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaTree:
    """All nodes of one cluster, by the names of their objects. Cohorts and queues have names of their own (a rule sees to it)."""

    root: QuotaNode
    cohorts: Mapping[str, QuotaNode]
    queues: Mapping[str, QuotaNode]

    subtrees: Mapping[str, Mapping[FlavorResource, int]]
    """Kueue's subtree quota of every node: its own nominal quota and what its children show it."""
    adopted: Mapping[FlavorResource, int]
    """What adopted queues and cohorts, which hang in no tree of ours, own of the same cards."""

    def owned(self, item: FlavorResource) -> int:
        """Return what queues and task pools own together with adopted ones, without the root's rest."""
        nodes = (*self.cohorts.values(), *self.queues.values())
        return sum(node.limits.get(item, NO_QUOTA).nominal for node in nodes) + self.adopted.get(item, 0)

    def potential(self, name: str, item: FlavorResource) -> int:
        """Return the most that one workload in this node could ever hold: above it, it can never be admitted."""
        node = self.node(name)
        subtree = self.subtrees[name].get(item, 0)
        if not node.parent:
            return subtree
        limit = node.limits.get(item, NO_QUOTA)
        reach = subtree - _visible(limit, subtree) + self.potential(node.parent, item)
        return reach if limit.borrowing is None else min(reach, subtree + limit.borrowing)

    def node(self, name: str) -> QuotaNode:
        """Return a node by name; an unknown name is a fault of ours and raises KeyError."""
        if name == self.root.name:
            return self.root
        return self.cohorts[name] if name in self.cohorts else self.queues[name]

    def nodes(self) -> Iterable[QuotaNode]:
        """Return every node, the root first, parents before children."""
        return (self.root, *self.cohorts.values(), *self.queues.values())


def _visible(limit: Limit, subtree: int) -> int:
    return subtree if limit.lending is None else min(subtree, limit.lending)


def queue_limit(service: Service, amount: Amount) -> Limit:
    """Return the Kueue numbers of a queue for one flavor and resource that the flavor produces."""
    if service.owns:
        return Limit(nominal=amount.guaranteed, borrowing=amount.borrow, lending=amount.lend)
    return Limit(nominal=0, borrowing=amount.cap, lending=0)


NOT_PRODUCED = Limit(nominal=0, borrowing=0, lending=0)
"""A queue's numbers where a flavor of the group does not produce the resource, which Kueue wants listed all the same."""


def _queue_limit(flavor: Flavor, resource: str, produced: Mapping[FlavorResource, Limit]) -> Limit:
    if resource in flavor.capacity:
        return produced[flavor.name, resource]
    return companion_limit(flavor, resource, produced) if resource in flavor.companions else NOT_PRODUCED


def _queues(cohort: Cohort) -> Iterable[QuotaNode]:
    service = cohort.task_pool.service
    for queue in cohort.queues:
        produced = {item: queue_limit(service, amount) for item, amount in queue.amounts.items()}
        limits = {
            (flavor.name, resource): _queue_limit(flavor, resource, produced)
            for group in cohort.groups
            for flavor in group.flavors
            for resource in group.resources
        }
        weight = 0 if service is Service.RECLAIMABLE else queue.weight
        yield QuotaNode(name=queue.name, parent=cohort.name, limits=limits, weight=weight)


def _cohort(cohort: Cohort, root: str) -> QuotaNode:
    limits: dict[FlavorResource, Limit] = {}
    if cohort.task_pool.service is Service.SHARED:
        # Kueue reads no limit as "borrow without end", so a flavor of which the pool owns nothing says so.
        limits = dict.fromkeys(cohort.flavor_resources, Limit(nominal=0, borrowing=0))
        limits |= {item: Limit(nominal=share.nominal, borrowing=share.borrow) for item, share in cohort.shares.items()}
        limits |= {
            (flavor.name, resource): companion_limit(flavor, resource, limits)
            for flavor in cohort.flavors
            for resource in flavor.companions
        }
    weight = 0 if cohort.task_pool.service is Service.RECLAIMABLE else 1
    return QuotaNode(name=cohort.name, parent=root, limits=limits, weight=weight)


def hardware(flavor: Flavor) -> dict[str, int]:
    """Return all that a flavor's nodes offer: pieces of GPU resources, and companions in billionths."""
    return {**flavor.capacity, **{name: total.nanos for name, total in flavor.companions.items()}}


def companion_limit(flavor: Flavor, resource: str, cards: Mapping[FlavorResource, Limit]) -> Limit:
    """Return a node's part of a companion: as much of it as the node has of the flavor's cards.

    Rounded down to a grain that reads well; the root's rest takes what rounding leaves, so nothing is lost.
    """
    total = flavor.companions[resource]
    grain = _grain(resource, total)

    def part(numbers: Mapping[str, int]) -> int:
        cards_of = {name: flavor.units[name].card_share for name in flavor.capacity}
        whole = sum(flavor.capacity[name] * share for name, share in cards_of.items())
        held = sum(numbers.get(name, 0) * share for name, share in cards_of.items())
        return int(total.nanos * held / whole) // grain * grain if whole else 0

    limits = {name: cards.get((flavor.name, name), NO_QUOTA) for name in flavor.capacity}
    nominal = part({name: limit.nominal for name, limit in limits.items()})
    borrowing = {name: limit.borrowing for name, limit in limits.items() if limit.borrowing is not None}
    lending = {name: limit.lending for name, limit in limits.items() if limit.lending is not None}
    return Limit(
        nominal=nominal,
        borrowing=part(borrowing) if borrowing else None,
        lending=min(part(lending), nominal) if lending else None,
    )


def _grain(resource: str, total: Quantity) -> int:
    """Return the step of a companion in billionths: thousandths of a CPU, mebibytes, or whole units."""
    if resource == "cpu":
        return MILLI
    return MEBI if total.binary else UNIT


def quota_tree(
    root: str, flavors: Iterable[Flavor], cohorts: Iterable[Cohort], adopted: Mapping[FlavorResource, int] = NOBODY
) -> QuotaTree:
    """Build the tree of a cluster whose root cohort is `root`; `adopted` is what queues outside it own of the same cards.

    Where queues and pools own more than is left to them of the hardware, the root's rest is negative: `rules/quota` reports it,
    and nothing is emitted. Where they own nothing, adopted queues may have given out more than there is, as they always could.
    """
    cohorts = tuple(cohorts)
    cohort_nodes = {cohort.name: _cohort(cohort, root) for cohort in cohorts}
    queue_nodes = {node.name: node for cohort in cohorts for node in _queues(cohort)}
    owned: dict[FlavorResource, int] = {}
    for node in (*cohort_nodes.values(), *queue_nodes.values()):
        for item, limit in node.limits.items():
            owned[item] = owned.get(item, 0) + limit.nominal

    def left(item: FlavorResource, capacity: int) -> int:
        ours, theirs = owned.get(item, 0), adopted.get(item, 0)
        return capacity - ours - theirs if ours else max(capacity - theirs, 0)

    rest = {
        (flavor.name, resource): Limit(nominal=left((flavor.name, resource), capacity))
        for flavor in flavors
        for resource, capacity in hardware(flavor).items()
    }
    root_node = QuotaNode(name=root, parent="", limits=rest)
    bottom_up = (*queue_nodes.values(), *cohort_nodes.values(), root_node)
    subtrees = _subtrees(bottom_up)
    return QuotaTree(root=root_node, cohorts=cohort_nodes, queues=queue_nodes, subtrees=subtrees, adopted=adopted)


def _subtrees(bottom_up: Iterable[QuotaNode]) -> dict[str, dict[FlavorResource, int]]:
    """Add up the subtree quotas in one pass over nodes that come before their parents."""
    found: dict[str, dict[FlavorResource, int]] = {}
    for node in bottom_up:
        own = found.setdefault(node.name, {})
        for item, limit in node.limits.items():
            own[item] = own.get(item, 0) + limit.nominal
        if node.parent:
            above = found.setdefault(node.parent, {})
            for item, subtree in own.items():
                above[item] = above.get(item, 0) + _visible(node.limits.get(item, NO_QUOTA), subtree)
    return found
