"""Series for the cases of alerts on queues, under the names of the fleet at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.emit.monitoring.scenes import series
from gpuplan.emit.monitoring.series import NAMESPACE_TEAM, QUEUE_TEAM
from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import Cohort, TaskPool, Team, TeamQueue

HOUR = 60
DAY = 24 * HOUR
LONG = 2 * DAY
"""Minutes that facts last in cases, longer than any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue of the fleet, as Kueue's series name it."""

    name: str
    team: Team
    task_pool: TaskPool
    flavor: str
    resource: str
    """The flavor and resource of which it owns most, the first ones where it owns nothing."""
    nominal: int
    """What it owns of that."""

    @property
    def labels(self) -> Mapping[str, str]:
        """What an alert on the queue carries."""
        return {"cluster_queue": self.name, "team": self.team.name}

    @property
    def namespace(self) -> str:
        """The team's first namespace."""
        return self.team.namespaces[0]

    def of(self, metric: str, /, *, role: str = "leader", **labels: str) -> str:
        """Return what a replica of Kueue says of the queue."""
        return series(metric, cluster_queue=self.name, replica_role=role, **labels)

    def quota(self, metric: str, /, *, role: str = "leader") -> str:
        """Return what a replica of Kueue says of its quota of that flavor and resource."""
        cohort = self.task_pool.cohort
        return self.of(metric, role=role, cohort=cohort, flavor=self.flavor, resource=self.resource)

    def known(self) -> dict[str, str]:
        """Return the fact that says whose the queue is."""
        owner = {"task_pool": self.task_pool.name, "service": self.task_pool.service.value}
        return {series(QUEUE_TEAM, **self.labels, **owner): f"1x{LONG}"}

    def namespace_known(self) -> dict[str, str]:
        """Return the fact that says whose the namespace is."""
        return {series(NAMESPACE_TEAM, namespace=self.namespace, team=self.team.name): f"1x{LONG}"}

    def histogram(self, name: str, *, fast: str = "", slow: str = "", role: str = "leader") -> dict[str, str]:
        """Return a histogram all of whose observations are in its first bucket, or beyond its last."""
        inside, every = fast or "0x90", fast or slow
        bounds = {"1": inside, "40960": inside, "+Inf": every}
        buckets = {self.of(f"{name}_bucket", role=role, le=bound): values for bound, values in bounds.items()}
        return {**self.known(), **buckets, self.of(f"{name}_count", role=role): every}


def queues(cluster: Cluster) -> Iterator[Queue]:
    """Yield the queues of a cluster, in the order of the spec: there may be thousands, and most cases need the first."""
    return (_queue(cluster, cohort, queue) for cohort in cluster.cohorts for queue in cohort.queues)


def _queue(cluster: Cluster, cohort: Cohort, queue: TeamQueue) -> Queue:
    limits = cluster.quota.queues[queue.name].limits
    nominal = {item: limits[item].nominal for item in cohort.flavor_resources}
    flavor, resource = max(nominal, key=lambda item: nominal[item])
    return Queue(
        name=queue.name,
        team=queue.team,
        task_pool=cohort.task_pool,
        flavor=flavor,
        resource=resource,
        nominal=nominal[flavor, resource],
    )
