"""What Kueue says of the day: quota, use, waiting work, waits, and workloads that lost their cards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplan.model.queues import Cohort, FlavorResource, TeamQueue
from tests.pictures.day import Day, Job
from tests.pictures.samples import MINUTES, Samples, Values, counter, histogram, observed

ROLE = {"replica_role": "leader"}
WAITS = ("1", *(f"{2.5 * 2**power:g}" for power in range(1, 15)))
"""Bounds of Kueue's histograms in seconds."""
LOSSES = (("Preempted", "", 170), ("PodsReadyTimeout", "WaitForStart", 610), ("NodeFailures", "", 900))
"""Why workloads lose their cards, and every how many minutes."""


def add(samples: Samples, day: Day) -> None:
    """Add everything of every queue."""
    for cohort in day.cluster.cohorts_with_queues:
        for queue in cohort.queues:
            jobs = [job for job in day.jobs if job.queue is queue]
            _quota(samples, cohort, queue, jobs)
            _waits(samples, queue, jobs)
            _losses(samples, cohort, queue, bool(jobs))


def _sum(jobs: Iterator[tuple[int, int, float]]) -> Values:
    """Add up amounts, each from one minute to another."""
    total = np.zeros(MINUTES + 1)
    for start, end, amount in jobs:
        total[min(max(start, 0), MINUTES)] += amount
        total[min(max(end, 0), MINUTES)] -= amount
    return np.cumsum(total)[:MINUTES]


def _quota(samples: Samples, cohort: Cohort, queue: TeamQueue, jobs: list[Job]) -> None:
    for flavor, resource in cohort.flavor_resources:
        amount = queue.amounts.get((flavor, resource))
        labels = {"cluster_queue": queue.name, "cohort": cohort.task_pool.name, "flavor": flavor, "resource": resource}
        samples.add("kueue_cluster_queue_nominal_quota", {**labels, **ROLE}, float(amount.guaranteed if amount else 0))
        here = [job for job in jobs if job.resource == resource and _flavor(cohort, job) == (flavor, resource)]
        used = _sum((job.admitted, job.ended, float(job.units * job.pods_wanted)) for job in here)
        for what in ("usage", "reservation"):
            samples.add(f"kueue_cluster_queue_resource_{what}", {**labels, **ROLE}, used)
    for resource in sorted({resource for _, resource in cohort.flavor_resources}):
        here = [job for job in jobs if job.resource == resource]
        asked = _sum((job.submitted, job.admitted, float(job.units * job.pods_wanted)) for job in here)
        labels = {"cluster_queue": queue.name, "resource": resource, **ROLE}
        samples.add("kueue_cluster_queue_resource_pending", labels, asked)
    info = {"cluster_queue": queue.name, "parent_cohort": cohort.task_pool.name, **ROLE}
    samples.add("kueue_cluster_queue_info", info, 1.0)
    for (flavor, resource), share in cohort.shares.items():
        labels = {"cohort": cohort.task_pool.name, "flavor": flavor, "resource": resource, **ROLE}
        samples.add("kueue_cohort_subtree_quota", labels, float(share.nominal))


def _flavor(cohort: Cohort, job: Job) -> FlavorResource:
    return next(flavor.name for flavor in cohort.flavors if job.pool in flavor.pools), job.resource


def _waits(samples: Samples, queue: TeamQueue, jobs: list[Job]) -> None:
    labels = {"cluster_queue": queue.name, **ROLE}
    waiting = _sum((job.submitted, job.admitted, 1.0) for job in jobs)
    samples.add("kueue_pending_workloads", {**labels, "status": "active"}, np.minimum(waiting, 2))
    samples.add("kueue_pending_workloads", {**labels, "status": "inadmissible"}, np.maximum(waiting - 2, 0))
    samples.add("kueue_admitted_active_workloads", labels, _sum((job.admitted, job.ended, 1.0) for job in jobs))
    begun = [job for job in jobs if 0 <= job.admitted < MINUTES]
    by_class = {**labels, "priority_class": "normal"}
    for name, seen in (
        ("kueue_admission_wait_time_seconds", [(job.admitted, 60.0 * (job.admitted - job.submitted)) for job in begun]),
        ("kueue_ready_wait_time_seconds", [(job.ready, 60.0 * (job.ready - job.submitted)) for job in begun]),
        ("kueue_admitted_until_ready_wait_time_seconds", [(job.ready, 60.0 * job.start_minutes) for job in begun]),
    ):
        histogram(samples, name, by_class, WAITS, observed(WAITS, seen))
    for name, minutes in (
        ("kueue_admitted_workloads_total", [job.admitted for job in begun]),
        ("kueue_finished_workloads_total", [job.ended for job in jobs if 0 <= job.ended < MINUTES]),
    ):
        samples.add(name, by_class, counter(np.bincount(minutes, minlength=MINUTES)[:MINUTES].astype(float)))


def _losses(samples: Samples, cohort: Cohort, queue: TeamQueue, used: bool) -> None:
    """Each kind of loss is counted from the beginning, as by a Kueue that has run for long."""
    shift = sum(map(ord, queue.name)) % 97
    for reason, cause, every in LOSSES:
        happened = np.zeros(MINUTES)
        if used:
            happened[shift::every] = 1.0
        labels = {"reason": reason, "underlying_cause": cause, "priority_class": "normal", **ROLE}
        samples.add("kueue_evicted_workloads_total", {**labels, "cluster_queue": queue.name}, 5 + counter(happened))
        local = {**labels, "name": cohort.task_pool.name, "namespace": queue.team.namespaces[0]}
        samples.add("kueue_local_queue_evicted_workloads_total", local, 5 + counter(happened))
