"""What can be seen on a cluster at one moment: pods, and what Kueue says about the jobs behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.controlplane.client import Client, Object
from tests.controlplane.workloads import PRIORITY_LABEL, QUEUE_LABEL, condition

IN_BETWEEN = ("Preempted to", "Pending the preemption")
"""How Kueue's words begin or end while it is not yet decided whether a job waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that somebody has submitted."""

    made: Object
    """As the server stored it."""

    def __str__(self) -> str:
        return str(self.made["metadata"]["name"])

    @property
    def uid(self) -> str:
        """The server's name for it."""
        return str(self.made["metadata"]["uid"])

    @property
    def kind(self) -> str:
        """What it has in common with jobs of which Kueue has to judge only one."""
        metadata, spec = self.made["metadata"], self.made["spec"]
        container = spec["template"]["spec"]["containers"][0]
        labels = [metadata["labels"].get(label) for label in (QUEUE_LABEL, PRIORITY_LABEL)]
        return f"{metadata['namespace']} {labels} {spec['parallelism']} {container['resources']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """All pods that are not on their way out, and Kueue's Workload of each job, by the job's uid."""

    pods: Mapping[str, Sequence[Object]]
    workloads: Mapping[str, Object]

    @classmethod
    def of(cls, client: Client) -> Sight:
        """Look at the cluster now."""
        pods: dict[str, list[Object]] = {}
        for pod in client.list("v1", "Pod"):
            if "deletionTimestamp" not in pod["metadata"]:
                for owner in pod["metadata"].get("ownerReferences", ()):
                    pods.setdefault(owner["uid"], []).append(pod)
        found = client.list("kueue.x-k8s.io/v1beta2", "Workload")
        owned = {owner["uid"]: one for one in found for owner in one["metadata"].get("ownerReferences", ())}
        return cls(pods=pods, workloads=owned)

    def running(self, job: Job) -> Sequence[Object]:
        """Return the pods of a job that run."""
        return [pod for pod in self.pods.get(job.uid, ()) if pod.get("status", {}).get("phase") == "Running"]

    def runs(self, job: Job) -> bool:
        """Tell whether all pods of a job run."""
        return bool(len(self.running(job)) == job.made["spec"]["parallelism"])

    def said(self, job: Job) -> str:
        """Return why Kueue lets a job wait; empty where it has not said, or is about to make room."""
        reserved = condition(self.workloads.get(job.uid), "QuotaReserved")
        message = str(reserved["message"]) if reserved.get("status") == "False" else ""
        return "" if any(words in message for words in IN_BETWEEN) else message

    def evictions(self, job: Job) -> int:
        """Return how often Kueue has put a job back."""
        stats = self.workloads.get(job.uid, {}).get("status", {}).get("schedulingStats", {})
        return sum(entry["count"] for entry in stats.get("evictions", ()))

    def states(self, jobs: Sequence[Job]) -> list[str]:
        """Return `runs`, `waits`, or nothing where that is not yet decided, of each job.

        Where Kueue has told one job to wait, it tells the others of its kind nothing.
        """
        told = {job.kind for job in jobs if self.said(job)}
        waiting = {job.uid for job in jobs if job.kind in told and not self.pods.get(job.uid)}
        return ["runs" if self.runs(job) else "waits" if job.uid in waiting else "" for job in jobs]
