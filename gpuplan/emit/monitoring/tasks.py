"""How tasks fare: how long they wait and start, how many end well, and how long those took.

Facts: Kueue 0.19, kube-state-metrics 2.20. Waits are told by Kueue's histograms of ClusterQueues, whose buckets reach 11
hours; those of LocalQueues end at 3. They know admitted work alone, so that a queue in which nothing moves has an alert of
its own.

A Job's result goes with the Job, and a failed one has no time of its end. So ends are counted when they are first seen, over five
minutes at a time: a Job must outlive its end by that much (`ttlSecondsAfterFinished: 600` is enough), whatever becomes of
it later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuplan.emit.monitoring import series, task_alerts
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.kueue_series import START, WAIT, has, runs_jobs, selected
from gpuplan.emit.monitoring.promql import TO_TEAM
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet

SAMPLES = 5
"""Workloads in an hour from which on a quantile says something."""
_JOB = "namespace, job_name"


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield how the tasks of a cluster fare, where it has queues."""
    if cluster.cohorts_with_queues:
        jobs = any(runs_jobs(cohort.task_pool) for cohort in cluster.cohorts_with_queues)
        records = (*_queues(fleet, cluster), *(_jobs(fleet) if jobs else ()))
        alerts = task_alerts.alerts(fleet, cluster, {one["record"] for one in records})
        yield Group(name="gpuplan-tasks", records=records, alerts=tuple(alerts))


def _queues(fleet: Fleet, cluster: Cluster) -> Iterator[RecordingRule]:
    yield record(series.QUEUE_WAIT, _quantile(WAIT))
    if cluster.kueue.pods_ready_timeout_seconds and has(fleet.catalog, cluster, START):
        yield record(series.QUEUE_START, _quantile(START))
    elif _owners_of_one_queue(cluster):
        yield record(series.QUEUE_START, _pods_start())


def _quantile(histogram: str) -> str:
    """Return the time within which all but the slowest twentieth of an hour's workloads were through."""
    count, bucket = selected(f"{histogram}_count"), selected(f"{histogram}_bucket")
    return (
        f"histogram_quantile(0.95, sum by (cluster_queue, le) (rate({bucket}[1h])))\n"
        f"and on (cluster_queue) sum by (cluster_queue) (increase({count}[1h])) >= {SAMPLES}"
    )


def _owners_of_one_queue(cluster: Cluster) -> bool:
    return 1 in Counter(queue.team.name for cohort in cluster.cohorts for queue in cohort.queues).values()


def _pods_start() -> str:
    """Return how long pods with cards take from their node to readiness, for teams whose pods can be in one queue alone.

    Kueue tells it only where it waits for pods to be ready. A pod does not say in its own series which queue it came by. One
    that becomes ready again long after its start has not started then.
    """
    ready = "max by (namespace, pod) (kube_pod_status_ready_time) > time() - 3600"
    scheduled = "max by (namespace, pod) (kube_pod_status_scheduled_time) > time() - 6 * 3600"
    started = f"({ready}) - ({scheduled})\n    and on (namespace, pod) {series.POD_REQUESTS}"
    queue = (
        f"max by (team, cluster_queue) ({series.QUEUE_TEAM} and on (team) count by (team) ({series.QUEUE_TEAM}) == 1)"
    )
    pods = f"(\n    {started}\n  ) * {TO_TEAM}\n  * on (team) group_left (cluster_queue) {queue}"
    enough = f"count by (cluster_queue) (\n  {pods}\n) >= {SAMPLES}"
    return f"quantile by (cluster_queue) (0.95,\n  {pods}\n)\nand on (cluster_queue) {enough}"


def _jobs(fleet: Fleet) -> Iterator[RecordingRule]:
    least = fleet.monitoring.thresholds.job_samples
    yield record(series.JOBS_ENDED, f"{_counted('complete', 'succeeded')}\nor\n{_counted('failed', 'failed')}")
    yield record(series.JOBS_RUN_TIME, _run_time())
    yield record(series.JOBS_FINISHED, f"sum by (namespace, result) (sum_over_time({series.JOBS_ENDED}[1d:5m]))")
    succeeded, failed = (f'{series.JOBS_FINISHED}{{result="{result}"}}' for result in ("succeeded", "failed"))
    yield record(
        series.JOB_SUCCESS,
        f"sum by (namespace) ({succeeded} or {failed} * 0)\n/ (sum by (namespace) ({series.JOBS_FINISHED}) >= {least})",
    )
    yield record(
        series.JOB_DURATION,
        f"sum by (namespace) (sum_over_time({series.JOBS_RUN_TIME}[1d:5m]))\n/ (sum by (namespace) ({succeeded}) > 0)",
    )


def _ended(condition: str) -> str:
    """Select the jobs that met their end within five minutes.

    Where kube-state-metrics was not seen five minutes ago, nobody knows which ends are new, so none counts.
    """
    now = f'max by ({_JOB}) (kube_job_{condition}{{condition="true"}} == 1)'
    before = f'max by ({_JOB}) (kube_job_{condition}{{condition="true"}} offset 5m == 1)'
    return f"{now} unless {before} and on () count(kube_pod_info offset 5m)"


def _counted(condition: str, result: str) -> str:
    count = f"count by (namespace) ({_ended(condition)}) and on (namespace) {series.NAMESPACE_TEAM}"
    return f'label_replace({count}, "result", "{result}", "", "")'


def _run_time() -> str:
    """Return how long jobs ran that succeeded; Kueue holds them back until they may start, which counts as no run."""
    times = (
        f"max by ({_JOB}) (kube_job_status_completion_time) - max by ({_JOB}) (kube_job_status_start_time)"
        f" and on ({_JOB}) ({_ended('complete')})"
    )
    return f"sum by (namespace) ({times}) and on (namespace) {series.NAMESPACE_TEAM}"
