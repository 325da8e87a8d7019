"""The words of the behaviour tests: a fleet is played on a real cluster, its teams submit jobs, and we see who runs.

Each word waits, with a limit, for something that can be seen: pods, their nodes, or what Kueue itself says about a job.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from gpuplan import conventions
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Cohort
from tests.controlplane import workloads
from tests.controlplane.behaviour.sight import Job, Sight
from tests.controlplane.client import ApiError, Client, Object, identity
from tests.controlplane.controlplane import ControlPlane

LIMIT_SECONDS = 40.0
WRITERS = 4
SETTLED_SECONDS = 1.5
"""Kueue gathers what happens for up to a second before it looks again at jobs that wait."""

Result = TypeVar("Result")

HALF_SEEN = "priority admission controller computed"


class Scene:
    """One fleet on the control plane: its objects applied, its nodes there, its queues active."""

    def __init__(self, plane: ControlPlane, fleet: Fleet, manifests: Sequence[Manifest]) -> None:
        self.plane = plane
        self.fleet = fleet
        self.manifests = manifests
        self._numbers = itertools.count(1)

    @property
    def cluster(self) -> Cluster:
        """The only cluster of the fleet."""
        return self.fleet.clusters[0]

    @property
    def client(self) -> Client:
        """The client of a person whom no guard rail exempts."""
        return self.plane.client

    # What teams do.

    def job(
        self,
        team: str,
        queue: str,
        *,
        cards: int = 1,
        pods: int = 1,
        resource: str = "",
        beside: Mapping[str, int] | None = None,
        priority: str = "",
        within: str = "",
    ) -> Object:
        """Write a job of `pods` pods with `cards` pieces each, as the team's users would: in its queue and band.

        `resource` is needed where the queue's tiers offer several; `beside` is what each pod asks for beside cards;
        `priority` is another class than the queue's normal one; `within` is the topology level that must hold all pods.
        """
        cohort = self._cohort(queue)
        return workloads.job(
            self.namespace(team),
            f"{team}-{queue}-{next(self._numbers)}",
            queue=queue,
            devices={resource or _only_resource(cohort): cards, **(beside or {})},
            pods=pods,
            priority=priority or cohort.task_pool.service.value,
            annotations={conventions.ANNOTATION_REQUIRED_TOPOLOGY: within} if within else None,
        )

    def submit(self, team: str, queue: str, **asked: Any) -> Job:
        """Submit a job; the other words are those of `job`."""
        return Job(made=self.client.create(self.job(team, queue, **asked)))

    def flood(self, team: str, queue: str, jobs: int, **asked: Any) -> list[Job]:
        """Submit many equal jobs, some at once."""
        with ThreadPoolExecutor(WRITERS) as writers:
            return list(writers.map(lambda _: self.submit(team, queue, **asked), range(jobs)))

    def finish(self, job: Job) -> None:
        """Let the work of a running job be done."""
        workloads.finish(self.client, job.made)
        self.until(lambda: workloads.is_true(self.look().workloads[job.uid], "Finished"), f"{job} to end")

    def refused(self, asked: Object) -> str:
        """Wait until the server would refuse an object, since policies take a moment to hold; return why."""

        def refusal() -> str:
            try:
                self.client.apply(asked, dry_run=True)
            except ApiError as error:
                # One request may see a new default PriorityClass in its second half alone: that is no policy's word.
                return error.message if HALF_SEEN not in error.message else ""
            return ""

        return self.until(refusal, f"the server to refuse {identity(asked)}")

    # What administrators do.

    def cordon(self, pool: str) -> None:
        """Close every node of a pool to new pods."""
        self._set_unschedulable(pool, closed=True)

    def uncordon(self, pool: str) -> None:
        """Open every node of a pool again."""
        self._set_unschedulable(pool, closed=False)

    # What becomes of it.

    def look(self) -> Sight:
        """See what is there now."""
        return Sight.of(self.client)

    def runs(self, *jobs: Job) -> float:
        """Wait until all pods of the jobs run, and return the seconds that it took."""
        begun = time.monotonic()
        self._until_all(jobs, "to run", lambda sight, job: sight.runs(job))
        return time.monotonic() - begun

    def waits(self, *jobs: Job) -> str:
        """Wait until Kueue has decided that each of the jobs waits; none has pods. Return what it said of the last."""
        self.until(lambda: set(self.look().states(jobs)) == {"waits"}, f"Kueue to let {_list(jobs)} wait")
        return self.look().said(jobs[-1])

    def evicted(self, *jobs: Job) -> None:
        """Wait until jobs that ran were put back and their pods are gone."""
        self._until_all(
            jobs, "to be evicted", lambda sight, job: bool(sight.evictions(job)) and job.uid not in sight.pods
        )

    def undisturbed(self, *jobs: Job) -> bool:
        """Tell whether the jobs run and were never put back."""
        sight = self.look()
        return all(sight.runs(job) and not sight.evictions(job) for job in jobs)

    def settled(self, jobs: Sequence[Job]) -> list[Job]:
        """Wait until each job runs or was told to wait, and nothing changes any more; return those that run."""
        before: list[str] = []
        end = time.monotonic() + LIMIT_SECONDS
        while True:
            now = self.look().states(jobs)
            if now == before and "" not in now:
                return [job for job, state in zip(jobs, now, strict=True) if state == "runs"]
            assert time.monotonic() < end, f"never settled: {now}"
            before = now
            time.sleep(SETTLED_SECONDS)

    def nodes_of(self, job: Job) -> list[str]:
        """Return the nodes of the job's running pods, one entry a pod, sorted."""
        return sorted(pod["spec"]["nodeName"] for pod in self.look().running(job))

    def pools_of(self, *jobs: Job) -> set[str]:
        """Return the node pools of the jobs' running pods."""
        return {pool_of(node) for job in jobs for node in self.nodes_of(job)}

    # What the words are made of.

    def until(self, seen: Callable[[], Result], what: str) -> Result:
        """Wait until `seen` returns something truthy, and return it."""
        return self.plane.wait_for(seen, LIMIT_SECONDS, what=what)

    def namespace(self, team: str) -> str:
        """Return the first namespace of a team."""
        return next(one.namespaces[0] for one in self.cluster.teams if one.name == team)

    def _set_unschedulable(self, pool: str, *, closed: bool) -> None:
        for node in self.client.list("v1", "Node"):
            if pool_of(node["metadata"]["name"]) == pool:
                self.client.patch(node, {"spec": {"unschedulable": closed}})

    def _until_all(self, jobs: Sequence[Job], what: str, holds: Callable[[Sight, Job], bool]) -> None:
        def all_hold() -> bool:
            sight = self.look()
            return all(holds(sight, job) for job in jobs)

        self.until(all_hold, f"{_list(jobs)} {what}")

    def _cohort(self, queue: str) -> Cohort:
        return next(cohort for cohort in self.cluster.cohorts if cohort.task_pool.name == queue)


def pool_of(node: str) -> str:
    """Return the pool of a node by its name: `h100` of `h100-0`."""
    return node.rpartition("-")[0]


def _only_resource(cohort: Cohort) -> str:
    (resource,) = {resource for _, resource in cohort.flavor_resources}
    return resource


def _list(jobs: Sequence[Job]) -> str:
    return ", ".join(map(str, jobs))
