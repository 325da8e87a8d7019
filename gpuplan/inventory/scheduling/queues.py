"""Kueue's objects of v1beta1 and v1beta2 in one shape, with the place of every number.

Whatever a file holds is read as far as it goes: what Kueue would refuse is for other rules to say. The shape is that of
v1beta2; where v1beta1 spells a field otherwise, the old spelling is read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity

GROUP = "kueue.x-k8s.io"
VOLCANO = "scheduling.volcano.sh"


@dataclass(frozen=True, eq=False, kw_only=True)
class Quota:
    """The numbers of one resource of a flavor in a queue or cohort; None where there is no such number."""

    flavor: str
    resource: str
    view: View
    """The entry of `resources`."""

    @cached_property
    def nominal(self) -> Quantity | None:
        """What its holder owns."""
        return self.view["nominalQuota"].quantity()

    @cached_property
    def borrowing(self) -> Quantity | None:
        """How much its holder may borrow beyond that; None is without end."""
        return self.view["borrowingLimit"].quantity()

    @cached_property
    def lending(self) -> Quantity | None:
        """How much of it others may borrow; None is all."""
        return self.view["lendingLimit"].quantity()

    @property
    def at(self) -> View:
        """Where the nominal quota stands, or the entry that lacks it."""
        nominal = self.view["nominalQuota"]
        return nominal if nominal.exists else self.view


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorQuotas:
    """A flavor of a resource group, with its numbers."""

    name: str
    view: View
    """The entry of `flavors`."""
    quotas: tuple[Quota, ...]

    def of(self, resource: str) -> Quota | None:
        """Return the numbers of a resource."""
        return next((quota for quota in self.quotas if quota.resource == resource), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceGroup:
    """Resources that come from one flavor together, and the flavors in the order in which they are tried."""

    view: View
    covered: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its flavors."""
        return tuple(flavor.name for flavor in self.flavors)


@dataclass(frozen=True, eq=False, kw_only=True)
class QuotaHolder:
    """What has quotas: a ClusterQueue or a Cohort."""

    object: Object

    @property
    def name(self) -> str:
        """Its name."""
        return self.object.name

    @cached_property
    def parent(self) -> View:
        """The cohort that it belongs to: `cohortName` or `parentName`, in v1beta1 `cohort` or `parent`."""
        spec = self.object.spec
        new, old = ("parentName", "parent") if self.object.kind == "Cohort" else ("cohortName", "cohort")
        return spec[new] if new in spec else spec[old]

    @cached_property
    def cohort(self) -> str:
        """Name of that cohort; empty where it is in none."""
        return self.parent.scalar()

    @cached_property
    def groups(self) -> tuple[ResourceGroup, ...]:
        """Its resource groups."""
        return tuple(_group(view) for view in self.object.spec["resourceGroups"].items())

    @cached_property
    def covered(self) -> frozenset[str]:
        """Every resource that it counts."""
        return frozenset(resource for group in self.groups for resource in group.covered)

    def quotas(self) -> Iterator[Quota]:
        """Yield its numbers in the order of the file."""
        return (quota for group in self.groups for flavor in group.flavors for quota in flavor.quotas)

    def __str__(self) -> str:
        return f"{self.object.kind} `{self.name}`"


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterQueue(QuotaHolder):
    """A queue of a cluster."""

    @property
    def namespace_selector(self) -> View:
        """Whose work it takes: a missing one takes none, an empty one all."""
        return self.object.spec["namespaceSelector"]

    @property
    def lends_only(self) -> bool:
        """Whether nobody may submit to it and others may borrow from it."""
        return bool(self.cohort) and not self.namespace_selector.exists

    @property
    def preemption(self) -> View:
        """Its policies of preemption."""
        return self.object.spec["preemption"]


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalQueue:
    """The name under which a namespace submits."""

    object: Object

    @property
    def target(self) -> View:
        """The ClusterQueue that it leads to."""
        return self.object.spec["clusterQueue"]

    @property
    def cluster_queue(self) -> str:
        """Name of that ClusterQueue."""
        return self.target.scalar()


@dataclass(frozen=True, eq=False, kw_only=True)
class Flavor:
    """A kind of node that quotas are given for."""

    object: Object

    @property
    def name(self) -> str:
        """Its name."""
        return self.object.name

    @cached_property
    def node_labels(self) -> Mapping[str, str]:
        """Labels that its nodes have, and that Kueue makes pods ask for."""
        return {key: view.scalar() for key, view in self.object.spec["nodeLabels"].entries()}

    @property
    def node_taints(self) -> View:
        """Taints that work must tolerate by itself to be let in."""
        return self.object.spec["nodeTaints"]

    @property
    def tolerations(self) -> View:
        """Tolerations that Kueue adds to pods."""
        return self.object.spec["tolerations"]

    @property
    def topology(self) -> View:
        """Name of its Topology."""
        return self.object.spec["topologyName"]


@once
def cluster_queues(inventory: Inventory) -> tuple[ClusterQueue, ...]:
    """Return the ClusterQueues."""
    return tuple(ClusterQueue(object=one) for one in _own(inventory, "ClusterQueue"))


@once
def cohorts(inventory: Inventory) -> tuple[QuotaHolder, ...]:
    """Return the Cohorts that have an object; a cohort without one is where queues name it."""
    return tuple(QuotaHolder(object=one) for one in _own(inventory, "Cohort"))


def holders(inventory: Inventory) -> tuple[QuotaHolder, ...]:
    """Return everything that has quotas, queues first."""
    return (*cluster_queues(inventory), *cohorts(inventory))


@once
def local_queues(inventory: Inventory) -> tuple[LocalQueue, ...]:
    """Return the LocalQueues."""
    return tuple(LocalQueue(object=one) for one in _own(inventory, "LocalQueue"))


@once
def flavors(inventory: Inventory) -> dict[str, Flavor]:
    """Return the ResourceFlavors by name."""
    return {one.name: Flavor(object=one) for one in reversed(_own(inventory, "ResourceFlavor"))}


@once
def in_order(inventory: Inventory) -> tuple[Flavor, ...]:
    """Return the ResourceFlavors as they stand in the files."""
    return tuple(Flavor(object=one) for one in _own(inventory, "ResourceFlavor"))


def names(inventory: Inventory, kind: str) -> frozenset[str]:
    """Return the names of Kueue's objects of a kind."""
    return frozenset(one.name for one in _own(inventory, kind))


def volcano_queues(inventory: Inventory) -> Iterator[Object]:
    """Yield Volcano's queues, which stand beside Kueue's in some clusters."""
    return (one for one in inventory.of("Queue") if one.group == VOLCANO)


def _own(inventory: Inventory, kind: str) -> tuple[Object, ...]:
    return tuple(one for one in inventory.of(kind) if one.group == GROUP and one.name)


def _group(view: View) -> ResourceGroup:
    found = [_flavor(one) for one in view["flavors"].items()]
    return ResourceGroup(view=view, covered=view["coveredResources"].strings(), flavors=tuple(found))


def _flavor(view: View) -> FlavorQuotas:
    name = view["name"].scalar()
    quotas = [Quota(flavor=name, resource=one["name"].scalar(), view=one) for one in view["resources"].items()]
    return FlavorQuotas(name=name, view=view, quotas=tuple(quotas))
