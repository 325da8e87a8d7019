"""Alerts on how tasks fare, each with its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from gpuplan.emit.monitoring import scenes, series
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.kueue_scenes import HOUR, Queue, queues
from gpuplan.emit.monitoring.kueue_series import (
    PENDING,
    QUOTA,
    START,
    STATUS,
    WAIT,
    grown,
    runs_jobs,
    selected,
)
from gpuplan.emit.monitoring.promql import of_namespace_team, of_team, part
from gpuplan.model.fleet import Cluster, Fleet

_STUCK_FOR = 15
"""Minutes of the time until a queue counts as stuck that are waited for, the rest is looked back on."""


def alerts(fleet: Fleet, cluster: Cluster, recorded: Collection[str]) -> Iterator[Alert]:
    """Yield the alerts on a cluster's tasks; `recorded` names the series of the group."""
    yield _metrics_missing(cluster)
    yield _wait_high(fleet, cluster)
    yield _stuck(fleet, cluster)
    if series.QUEUE_START.name in recorded:
        yield _start_slow(fleet, cluster)
    if series.JOB_SUCCESS.name in recorded and fleet.monitoring.thresholds.job_success_percent:
        yield _success_low(fleet, cluster)


def _metrics_missing(cluster: Cluster) -> Alert:
    queue = next(queues(cluster))
    waiting, quota = queue.of(PENDING, status="active"), queue.of(QUOTA, flavor="f", resource=queue.resource)
    stale = queue.of(PENDING, status="active", role="follower")
    return Alert(
        name="KueueMetricsMissing",
        expr=f"absent({selected(PENDING)}) or absent({selected(QUOTA)})",
        wait="15m",
        severity="warning",
        summary="Prometheus sees no metrics of Kueue, or none of its quotas.",
        description="Alerts on queues, quotas and reclaimed work cannot fire. Look whether Kueue's controller runs, whether "
        "Prometheus may scrape it, and whether metrics.enableClusterQueueResources is on in Kueue's configuration.",
        cases=(
            Case(
                kind="firing",
                name="Kueue falls silent",
                inputs={waiting: "0x4 stale", quota: "8x4 stale"},
                at="25m",
                fires=({},),
            ),
            Case(kind="healthy", name="Kueue reports", inputs={waiting: "0x60", quota: "8x60"}, at="40m"),
            Case(kind="absent", name="Kueue reports no quotas", inputs={waiting: "0x60"}, at="20m", fires=({},)),
            Case(
                kind="edge",
                name="only a replica that does not lead reports",
                inputs={stale: "0x60"},
                at="20m",
                fires=({},),
            ),
        ),
    )


def _wait_high(fleet: Fleet, cluster: Cluster) -> Alert:
    minutes, queue = fleet.monitoring.thresholds.queue_wait_minutes, next(queues(cluster))
    return Alert(
        name="GpuQueueWaitHigh",
        expr=of_team(f"{series.QUEUE_WAIT} > {minutes * 60}"),
        wait="15m",
        severity="warning",
        team="",
        summary="Jobs wait long for their GPUs.",
        description="The slowest twentieth of the jobs in queue {{ $labels.cluster_queue }} waited "
        "{{ $value | humanizeDuration }} or longer for admission in the last hour. Look at what else the queue runs and "
        "whether the team has work in queues that it could do without; else it needs more quota.",
        cases=tuple(_histogram_cases(queue, WAIT, "waits")),
    )


def _histogram_cases(queue: Queue, histogram: str, word: str) -> Iterator[Case]:
    """Waits beyond the last bucket are longer than any threshold, those in the first one shorter."""
    fires = (queue.labels,)
    yield Case(
        kind="firing",
        name=f"every job {word} long",
        inputs=queue.histogram(histogram, slow="0+1x90"),
        at="60m",
        fires=fires,
    )
    yield Case(kind="healthy", name=f"no job {word} long", inputs=queue.histogram(histogram, fast="0+1x90"), at="60m")
    yield Case(kind="absent", name="Kueue is silent", inputs=queue.known(), at="60m")
    few = queue.histogram(histogram, slow="0x9 1x9 2x9 3x9 4x40")
    yield Case(kind="edge", name="four jobs an hour say nothing", inputs=few, at="60m")
    stale = queue.histogram(histogram, slow="0+1x90", role="follower")
    yield Case(
        kind="edge",
        name=f"only a replica that does not lead saw jobs that {word.removesuffix('s')}",
        inputs=stale,
        at="60m",
    )


def _stuck(fleet: Fleet, cluster: Cluster) -> Alert:
    minutes = fleet.monitoring.thresholds.queue_stuck_minutes
    window = f"{minutes - _STUCK_FOR}m"
    waiting = f"max by (cluster_queue) ({selected(PENDING, status='active')}) > 0"
    strict = sorted({cohort.task_pool.name for cohort in cluster.cohorts_with_queues if cohort.task_pool.strict})
    if strict:
        waiting += f'\nunless on (cluster_queue) {series.QUEUE_TEAM}{{task_pool=~"{"|".join(strict)}"}}'
    anything = f"max by (cluster_queue) ({selected(PENDING)}) > 0"
    before = f"max by (cluster_queue) ({selected(PENDING)} offset {window}) > 0"
    closed = f"max by (cluster_queue) ({selected(STATUS, status='pending')}) == 1"
    admitted = (
        f"sum by (cluster_queue) {grown(selected('kueue_admitted_workloads_total'), window, selected(PENDING))} > 0"
    )
    return Alert(
        name="GpuQueueStuck",
        expr=of_team(
            f"(({waiting})\nor ({anything} and on (cluster_queue) {closed}))\nand on (cluster_queue) ({before})\n"
            f"unless on (cluster_queue) ({admitted})"
        ),
        wait=f"{_STUCK_FOR}m",
        severity="critical",
        team="",
        summary="Jobs wait in a queue that admits none.",
        description=f"Queue {{{{ $labels.cluster_queue }}}} has admitted nothing for {minutes} minutes while Kueue holds "
        "work that it has yet to try, or the queue is closed. Read the conditions of the ClusterQueue first: it says what is "
        "missing or who stopped it; then Kueue's log.",
        cases=tuple(_stuck_cases(cluster, minutes)),
    )


def _stuck_cases(cluster: Cluster, minutes: int) -> Iterator[Case]:
    """A strict queue always has a head that waits; one that takes what fits sets aside what does not."""
    queue = next(queues(cluster))
    end, at = f"{minutes + HOUR}", f"{minutes + 10}m"
    active, aside = queue.of(PENDING, status="active"), queue.of(PENDING, status="inadmissible")
    closed = queue.of(STATUS, status="pending")
    admitted = queue.of("kueue_admitted_workloads_total", priority_class="normal")
    held = {**queue.known(), active: f"0x{end}", aside: f"3x{end}", closed: f"1x{end}", admitted: f"7x{end}"}
    yield Case(kind="firing", name="a closed queue holds work", inputs=held, at=at, fires=(queue.labels,))
    yield from _untried_cases(cluster, end, at)
    yield Case(kind="edge", name="it has held it for less than the time", inputs=held, at=f"{minutes - 2}m")
    full = {**held, closed: f"0x{end}"}
    yield Case(kind="healthy", name="what does not fit is set aside", inputs=full, at=at)
    yield Case(kind="absent", name="Kueue is silent", inputs=queue.known(), at=at)
    first = {**held, admitted: f"_x{minutes - 5} 1x{HOUR}"}
    yield Case(kind="edge", name="the first job ever is admitted just in time", inputs=first, at=at)
    stale = {**queue.known(), queue.of(PENDING, status="active", role="follower"): f"3x{end}"}
    yield Case(kind="edge", name="a replica that does not lead shows old work", inputs=stale, at=at)


def _untried_cases(cluster: Cluster, end: str, at: str) -> Iterator[Case]:
    for strict in (False, True):
        queue = next((one for one in queues(cluster) if one.task_pool.strict is strict), None)
        if queue:
            inputs = {**queue.known(), queue.of(PENDING, status="active"): f"3x{end}"}
            if strict:
                yield Case(kind="edge", name="the head of a strict queue waits its turn", inputs=inputs, at=at)
            else:
                yield Case(
                    kind="firing", name="Kueue tries none of the work", inputs=inputs, at=at, fires=(queue.labels,)
                )


def _start_slow(fleet: Fleet, cluster: Cluster) -> Alert:
    minutes = fleet.monitoring.thresholds.start_minutes
    by_kueue = cluster.kueue.pods_ready_timeout_seconds > 0
    since = "admission" if by_kueue else "getting their node"
    cases = _histogram_cases(next(queues(cluster)), START, "starts") if by_kueue else _pod_cases(cluster, minutes * 60)
    return Alert(
        name="GpuStartSlow",
        expr=of_team(f"{series.QUEUE_START} > {minutes * 60}"),
        wait="15m",
        severity="warning",
        team="",
        summary="Jobs take long to start on their GPUs.",
        description=f"The slowest twentieth of the pods of queue {{{{ $labels.cluster_queue }}}} took "
        f"{{{{ $value | humanizeDuration }}}} or longer from {since} until they were ready in the last hour, and held their "
        "GPUs idle meanwhile. Look at the size of the images, at the registry, and at what the program loads first.",
        cases=tuple(cases),
    )


def _pod_cases(cluster: Cluster, seconds: int) -> Iterator[Case]:
    """Pods of a team with one queue; the clock of promtool begins at 0, when all of them have got their nodes."""
    owners = Counter(queue.team.name for cohort in cluster.cohorts for queue in cohort.queues)
    queue = next(queue for queue in queues(cluster) if owners[queue.team.name] == 1)

    def pods(number: int, took: int) -> dict[str, str]:
        made = {**queue.known(), **queue.namespace_known()}
        for index in range(number):
            pod = {"namespace": queue.namespace, "pod": f"pod-{index}"}
            made |= {
                scenes.series("kube_pod_status_scheduled_time", **pod): "0x90",
                scenes.series("kube_pod_status_ready_time", **pod): f"{took}x90",
                scenes.series(series.POD_REQUESTS, **pod, node="node-1", resource="nvidia_com_gpu"): "1x90",
            }
        return made

    fires = (queue.labels,)
    yield Case(kind="firing", name="every pod starts late", inputs=pods(5, seconds + 60), at="30m", fires=fires)
    yield Case(kind="healthy", name="every pod starts in time", inputs=pods(5, seconds - 30), at="30m")
    yield Case(kind="absent", name="there are no pods", inputs=pods(0, 0), at="30m")
    yield Case(kind="edge", name="four pods an hour say nothing", inputs=pods(4, seconds + 60), at="30m")


def _success_low(fleet: Fleet, cluster: Cluster) -> Alert:
    thresholds = fleet.monitoring.thresholds
    return Alert(
        name="GpuJobSuccessLow",
        expr=of_namespace_team(f"{series.JOB_SUCCESS} < {part(thresholds.job_success_percent)}"),
        wait="30m",
        severity="warning",
        team="",
        summary="Too many jobs of a team fail.",
        description="Only {{ $value | humanizePercentage }} of the jobs in namespace {{ $labels.namespace }} that ended within a "
        "day succeeded. Look at the events and logs of the last ones that failed; if they share a node, look at its GPUs.",
        cases=tuple(_job_cases(cluster, thresholds.job_samples)),
    )


def _job_cases(cluster: Cluster, enough: int) -> Iterator[Case]:
    """Jobs end at minute 10, after five minutes in which kube-state-metrics was seen; one at a time may be without results."""
    queue = next(queue for queue in queues(cluster) if runs_jobs(queue.task_pool))
    known = {
        **queue.known(),
        **queue.namespace_known(),
        scenes.series("kube_pod_info", namespace=queue.namespace, pod="p"): "1x90",
    }
    fires = ({"namespace": queue.namespace, "team": queue.team.name},)

    def jobs(condition: str, number: int, values: str) -> dict[str, str]:
        return {
            scenes.series(
                f"kube_job_{condition}", namespace=queue.namespace, job_name=f"{condition}-{index}", condition="true"
            ): values
            for index in range(number)
        }

    lasting, brief = "_x10 1x80", "_x10 1x6 stale"
    yield Case(
        kind="firing",
        name="every job fails",
        inputs={**known, **jobs("failed", enough, lasting)},
        at="60m",
        fires=fires,
    )
    yield Case(
        kind="healthy", name="every job succeeds", inputs={**known, **jobs("complete", enough, lasting)}, at="60m"
    )
    yield Case(kind="absent", name="no job ended", inputs=known, at="60m")
    gone = {**known, **jobs("failed", enough, brief)}
    yield Case(kind="edge", name="failed jobs are deleted after six minutes", inputs=gone, at="60m", fires=fires)
    yield Case(
        kind="edge",
        name="jobs failed before anybody watched",
        inputs={**known, **jobs("failed", enough, "1x90")},
        at="60m",
    )
    few = {**known, **jobs("failed", enough - 1, lasting)}
    yield Case(kind="edge", name="too few jobs ended to say anything", inputs=few, at="60m")
