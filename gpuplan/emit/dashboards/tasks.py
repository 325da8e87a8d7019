"""Panels on runs of tasks: queue time, start latency, success, duration."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query, above, below, stat
from gpuplan.emit.monitoring.kueue_series import LEADER, PENDING
from gpuplan.emit.monitoring.series import JOB_DURATION, JOB_SUCCESS, JOBS_FINISHED, QUEUE_START, QUEUE_WAIT


def waiting(on: Context) -> Panel:
    """Return how many workloads wait."""
    return stat("Waiting", "Workloads that wait for cards in queues.", f"sum({_pending(on)})")


def _pending(on: Context) -> str:
    pending = on.scope.raw(PENDING, matchers=LEADER)
    return on.scope.by_queue_team(f"max by (cluster, cluster_queue, status) ({pending})")


def success(on: Context) -> Panel:
    """Return the part of all jobs that succeeded."""
    done = on.scope.by_namespace_team(on.scope.of(JOBS_FINISHED, result="succeeded"))
    every = on.scope.by_namespace_team(on.scope.of(JOBS_FINISHED))
    return stat(
        "Jobs succeeded",
        "Part of the jobs that ended in a day that succeeded.",
        f"(sum({done}) or sum({every}) * 0) / (sum({every}) > 0)",
        "percentunit",
        below(on.thresholds.job_success_percent / 100),
    )


def queues(on: Context, by: str) -> Iterator[Panel]:
    """Yield waits of queues, the worst for each value of a label: `team`, or `cluster_queue`."""
    wait, start = on.scope.by_queue_team(on.scope.of(QUEUE_WAIT)), on.scope.by_queue_team(on.scope.of(QUEUE_START))
    yield Panel(
        title="Queue time",
        says="Wait for admission of the slowest twentieth of the jobs. Queues with fewer than five jobs an hour show none.",
        kind="lines",
        queries=(Query(expr=f"max by ({by}) ({wait})", legend=f"{{{{{by}}}}}"),),
        unit="s",
        limit=above(on.thresholds.queue_wait_minutes * 60),
        least=0,
    )
    yield Panel(
        title="Start latency",
        says="Time from admission to ready pods of the slowest twentieth of the jobs: images, volumes, scheduling.",
        kind="lines",
        queries=(Query(expr=f"max by ({by}) ({start})", legend=f"{{{{{by}}}}}"),),
        unit="s",
        limit=above(on.thresholds.start_minutes * 60),
        least=0,
    )
    yield Panel(
        title="Waiting workloads",
        says="Workloads in queues. An inadmissible one does not fit as things are, and is tried again when they change.",
        kind="stacked",
        queries=(Query(expr=f"sum by ({by}, status) ({_pending(on)})", legend=f"{{{{{by}}}}} {{{{status}}}}"),),
        least=0,
    )


def jobs(on: Context, by: str) -> Iterator[Panel]:
    """Yield how jobs ended, by `team` or by `namespace`."""
    s = on.scope
    yield Panel(
        title="Jobs that ended",
        says="Jobs that ended in the day before, by result.",
        kind="stacked",
        queries=(Query(expr=f"sum by (result) ({s.by_namespace_team(s.of(JOBS_FINISHED))})", legend="{{result}}"),),
        least=0,
    )
    yield Panel(
        title="Success rate",
        says="Part of a day's jobs that succeeded, the lowest of its namespaces where a team has several.",
        kind="lines",
        queries=(Query(expr=f"min by ({by}) ({s.by_namespace_team(s.of(JOB_SUCCESS))})", legend=f"{{{{{by}}}}}"),),
        unit="percentunit",
        limit=below(on.thresholds.job_success_percent / 100),
        least=0,
        most=1,
    )
    yield Panel(
        title="Duration",
        says="Mean time that jobs which succeeded in a day took, the longest of its namespaces where a team has several.",
        kind="lines",
        queries=(Query(expr=f"max by ({by}) ({s.by_namespace_team(s.of(JOB_DURATION))})", legend=f"{{{{{by}}}}}"),),
        unit="s",
        least=0,
    )
