"""Kueue's objects and priority classes that stay in a cluster as they were, next to task pools or alone.

Their bodies are Kubernetes' own, canonical and with every default written out: nothing of them is ours to interpret, but for what
this module reads off them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan.diagnostics import KeyPath
from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import Team
from gpuplan.quantity import Quantity

KUEUE = "kueue.x-k8s.io/v1beta2"
VERSIONS: Mapping[str, str] = {"PriorityClass": "scheduling.k8s.io/v1"}
"""Kinds that are not Kueue's, with their API versions."""
QUOTA_KINDS = ("Topology", "ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue")
"""Kinds of Kueue's that make up a quota."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedObject:
    """One object as it was."""

    kind: str
    namespace: str
    """Empty for what is no part of a namespace."""
    name: str
    team: str
    """The team that a ClusterQueue belongs to; empty where the spec names none."""
    body: Mapping[str, Any]
    """All of the object but its `apiVersion`, `kind` and `metadata`."""
    path: KeyPath

    @property
    def spec(self) -> Mapping[str, Any]:
        """Its `spec`; empty for kinds that have none."""
        found: Mapping[str, Any] = self.body.get("spec", {})
        return found

    @property
    def api_version(self) -> str:
        """Its API version."""
        return VERSIONS.get(self.kind, KUEUE)

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The object with its names, as others would write it."""
        metadata = {"name": self.name, **({"namespace": self.namespace} if self.namespace else {})}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **self.body}

    @property
    def groups(self) -> tuple[Mapping[str, Any], ...]:
        """The resource groups of a ClusterQueue or Cohort."""
        return tuple(self.spec.get("resourceGroups", ()))

    @property
    def flavors(self) -> tuple[str, ...]:
        """Names of the flavors that a ClusterQueue or Cohort has quotas in, in its order."""
        return tuple(flavor["name"] for group in self.groups for flavor in group["flavors"])

    @property
    def refers_to(self) -> frozenset[str]:
        """Names of all that it refers to by name: flavors, a topology, a cohort, a ClusterQueue."""
        keys = ("topologyName", "parentName", "cohortName", "clusterQueue")
        return frozenset((*self.flavors, *(self.spec[key] for key in keys if key in self.spec)))

    @property
    def resources(self) -> frozenset[str]:
        """Names of the resources that a ClusterQueue or Cohort covers."""
        return frozenset(name for group in self.groups for name in group["coveredResources"])

    def nominal(self) -> Iterator[tuple[str, str, Quantity, KeyPath]]:
        """Yield each flavor and resource of a ClusterQueue or Cohort with its nominal quota, and the place of that number."""
        for index, group in enumerate(self.groups):
            for number, flavor in enumerate(group["flavors"]):
                for position, quota in enumerate(flavor["resources"]):
                    amount = Quantity.parse(quota["nominalQuota"]) or Quantity(0)
                    place = ("resourceGroups", index, "flavors", number, "resources", position, "nominalQuota")
                    yield flavor["name"], quota["name"], amount, (*self.path, *place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """All that stays as it was in one cluster."""

    objects: tuple[AdoptedObject, ...] = ()
    teams: tuple[Team, ...] = ()
    """Teams that a ClusterQueue of it belongs to, in the order of the fleet."""
    frameworks: tuple[str, ...] = ()
    """Short names of the workload kinds that its queues take; none where nothing is adopted of Kueue."""

    def of(self, kind: str) -> tuple[AdoptedObject, ...]:
        """Return its objects of a kind, in the order of the spec."""
        return tuple(one for one in self.objects if one.kind == kind)

    def names(self, kind: str) -> frozenset[str]:
        """Return the names of its objects of a kind, whatever their namespaces."""
        return frozenset(one.name for one in self.objects if one.kind == kind)

    @property
    def for_kueue(self) -> bool:
        """Whether any of it is Kueue's, priorities aside: then people have a quota of their own here."""
        return any(one.kind in QUOTA_KINDS for one in self.objects)

    def needs(self, flavors: Iterable[Flavor]) -> bool:
        """Tell whether any of it names one of these flavors, or the Topology of one, rather than its own of that name."""
        ours = {name for flavor in flavors for name in (flavor.name, flavor.topology)}
        ours -= self.names("ResourceFlavor") | self.names("Topology")
        return any(not ours.isdisjoint(one.refers_to) for one in self.objects)

    @property
    def namespaces(self) -> frozenset[str]:
        """Namespaces of its LocalQueues."""
        return frozenset(one.namespace for one in self.of("LocalQueue"))

    @property
    def resources(self) -> frozenset[str]:
        """Resources that its queues and cohorts cover."""
        return frozenset(name for one in self.objects for name in one.resources)


NOTHING = Adopted()
"""What stays in a cluster of which the spec says nothing."""
