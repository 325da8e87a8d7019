"""The most that one workload of a queue could ever hold: Kueue's quota tree over what files say.

Cohorts that nobody wrote an object for are there all the same, without quotas of their own, as in Kueue. Amounts are in
billionths of the unit. Source: Kueue, pkg/cache/scheduler/resource_node.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.scheduling.queues import ClusterQueue, Quota, QuotaHolder, cluster_queues, cohorts
from gpuplan.quantity import Quantity

ENDLESS = 2**63 * 10**9
"""More than any quota: what stands for a number that is none, so that nothing is concluded from it."""

Item = tuple[str, str]
"""(flavor, resource)."""
_Name = tuple[bool, str]
"""(whether it is a queue, its name): a queue and a cohort may share a name."""


@dataclass(frozen=True, eq=False)
class Rights:
    """The quota tree of a cluster."""

    parents: Mapping[_Name, str]
    quotas: Mapping[_Name, Mapping[Item, Quota]]
    children: Mapping[str, tuple[_Name, ...]]
    _subtrees: dict[tuple[_Name, Item], int] = field(default_factory=dict, repr=False)
    """What was added up so far: members of one cohort share all that is above them."""

    @classmethod
    def among(cls, holders: Iterable[QuotaHolder]) -> Rights:
        """Make the tree of some queues and cohorts."""
        named = {(isinstance(one, ClusterQueue), one.name): one for one in holders}
        children: dict[str, tuple[_Name, ...]] = {}
        for name, one in named.items():
            if one.cohort:
                children[one.cohort] = (*children.get(one.cohort, ()), name)
        quotas = {
            name: {(quota.flavor, quota.resource): quota for quota in one.quotas()} for name, one in named.items()
        }
        return cls({name: one.cohort for name, one in named.items()}, quotas, children)

    def potential(self, queue: str, item: Item) -> int:
        """Return the most that one workload of a queue could hold of a resource of a flavor."""
        return self._potential((True, queue), item, frozenset())

    def members(self, cohort: str) -> int:
        """Return how many queues and cohorts belong to a cohort."""
        return len(self.children.get(cohort, ()))

    def _potential(self, name: _Name, item: Item, seen: frozenset[_Name]) -> int:
        subtree, parent = self._subtree(name, item, frozenset()), self.parents.get(name, "")
        if not parent or name in seen:
            return subtree
        quota = self.quotas.get(name, {}).get(item)
        above = self._potential((False, parent), item, seen | {name})
        reach = subtree - _visible(quota, subtree) + above
        limit = quota.borrowing if quota else None
        return reach if limit is None else min(reach, subtree + limit.nanos)

    def _subtree(self, name: _Name, item: Item, seen: frozenset[_Name]) -> int:
        known = self._subtrees.get((name, item))
        if known is None:
            known = self._subtrees[name, item] = self._added_up(name, item, seen)
        return known

    def _added_up(self, name: _Name, item: Item, seen: frozenset[_Name]) -> int:
        quota = self.quotas.get(name, {}).get(item)
        total = _nanos(quota.nominal) if quota else 0
        is_queue, own = name
        for child in () if is_queue or name in seen else self.children.get(own, ()):
            inner = self._subtree(child, item, seen | {name})
            total += _visible(self.quotas.get(child, {}).get(item), inner)
        return total


@once
def rights(inventory: Inventory) -> Rights:
    """Return the quota tree of the queues and cohorts. The last one is kept: several rules ask for it."""
    return Rights.among((*cluster_queues(inventory), *cohorts(inventory)))


def _visible(quota: Quota | None, subtree: int) -> int:
    lending = quota.lending if quota else None
    return subtree if lending is None else min(subtree, lending.nanos)


def _nanos(amount: Quantity | None) -> int:
    return ENDLESS if amount is None else amount.nanos
