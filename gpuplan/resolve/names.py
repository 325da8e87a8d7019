"""Names: the fleet's own scheme, and the names in use that `names:` gives instead.

Every name of an object that `names:` can override is made here, so that model objects carry the final ones and nobody looks one
up again. What is asked for is remembered: an override of a name that the scheme never makes has no effect, and is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gpuplan import conventions
from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import Service, band
from gpuplan.resolve import findings
from gpuplan.resolve.scope import Scope
from gpuplan.suggest import candidates
from gpuplan.words import in_a_row

ROOT = "rootCohort"


@dataclass(frozen=True, slots=True)
class Naming:
    """Gives names by the scheme or the overrides. `made` is the only thing that grows: the scheme's names by section."""

    scope: Scope
    made: dict[str, set[str]] = field(default_factory=dict)

    def _named(self, section: str, overrides: Mapping[str, str], name: str) -> str:
        self.made.setdefault(section, set()).add(name)
        return overrides.get(name, name)

    def root(self) -> str:
        """Return the name of the cohort above all others."""
        return self.scope.spec.names.root_cohort or self.scope.spec.metadata.name

    def cohort(self, task_pool: str) -> str:
        """Return the name of a task pool's cohort."""
        return self._named("cohorts", self.scope.spec.names.cohorts, task_pool)

    def local_queue(self, task_pool: str) -> str:
        """Return the name of a task pool's LocalQueues."""
        return self._named("localQueues", self.scope.spec.names.local_queues, task_pool)

    def cluster_queue(self, team: str, task_pool: str) -> str:
        """Return the name of a team's ClusterQueue in a task pool."""
        name = conventions.cluster_queue_name(team, task_pool)
        return self._named("clusterQueues", self.scope.spec.names.cluster_queues, name)

    def band(self, service: Service) -> dict[str, int]:
        """Return the WorkloadPriorityClasses of a service class with their values, lowest first."""
        said = self.scope.spec.names.workload_priority_classes
        return {self._named("workloadPriorityClasses", said, name): value for name, value in band(service).items()}

    def pod_priority_class(self, service: Service) -> str:
        """Return the name of the PriorityClass for pods of a service class."""
        name = conventions.pod_priority_class_name(service.value)
        return self._named("priorityClasses", self.scope.spec.names.priority_classes, name)

    def flavor(self, flavor: Flavor) -> Flavor:
        """Return a flavor under its final name, with that of its Topology."""
        said = self.scope.spec.names
        name = self._named("flavors", said.flavors, flavor.name)
        return replace(flavor, name=name, topology=self._named("topologies", said.topologies, flavor.topology))

    def check(self) -> None:
        """Report each override of a name that the scheme does not make. Call it once everything has its name.

        Where something could not be bound, its names were never made, and there are findings enough.
        """
        if self.scope.broken or self.scope.found:
            return
        said = self.scope.spec.names.model_dump(by_alias=True, exclude={"root_cohort"})
        for section, overrides in said.items():
            known = self.made.get(section, set())
            for name in overrides:
                if name not in known:
                    self._unknown(section, name, known)

    def _unknown(self, section: str, name: str, known: Iterable[str]) -> None:
        offered = in_a_row([f"`{other}`" for other in candidates(name, known)], "or")
        shown = ", ".join(f"`{other}`" for other in sorted(known)[:12]) or "none"
        self.scope.found.append(
            findings.OVERRIDE_OF_NOTHING.found(
                f"`names.{section}` gives a name for `{name}`, and nothing has that name",
                at=self.scope.origins.key(("names", section, name)),
                fix=f"Write {offered}." if offered else f"gpuplan's own names there are: {shown}.",
            )
        )
