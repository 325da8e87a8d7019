"""Who lost its cards, and why, in the words of the closed list (`ReclaimReason`); nothing is counted twice.

Facts: Kueue 0.19 (pkg/workload/evict, pkg/scheduler/preemption), kube-state-metrics 2.20. Kueue counts evictions by namespace
and by the queue that lost, but says only for the queue that won why it took: in its own queue for a higher priority, elsewhere
to take quota back. What gave way within a queue is therefore taken off what the queue lost, and the rest was quota that came
back; namespaces of one queue share both in proportion.

Kubernetes also takes pods away, of which Kueue knows nothing at first. A failed node shows in both, so the larger number
counts. Work that our reclaimer suspends looks to Kueue like work that a person did, so it is taken off that. What a controller
of others takes (a rejected admission check) is somebody's will as well. Nothing of ours reclaims by the calendar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.emit import base
from gpuplan.emit.monitoring import reclaimed_cases, series
from gpuplan.emit.monitoring.alerts import Alert, Group, record
from gpuplan.emit.monitoring.kueue_series import LOCAL_EVICTED, PENDING, grown, has, selected
from gpuplan.emit.monitoring.promql import TO_TEAM, of_namespace_team
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import produced_resources
from gpuplan.model.reclaim import ReclaimMode, ReclaimReason
from gpuplan.model.reclaim_kinds import KINDS
from gpuplan.model.reclaim_metrics import RECLAIMED_TOTAL

DAY = "1d"
INTERVAL = "120s"
"""A day is looked back on; that need not be done with each evaluation."""
_DISRUPTION = "kube_pod_status_disruption_reason"
_NOBODY = "(<none>)?"
"""Who made a pod that nobody made, as kube-state-metrics says it."""
_SCALED = "|".join(sorted(kind.kind for kind in KINDS if kind.scaled))
"""Kinds that our reclaimer stops by taking their replicas away, so that Kueue sees no eviction."""
_FAILED = "DeletionByTaintManager|DeletionByPodGC|TerminationByKubelet"


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield what lost its cards in a cluster, where its Kueue tells whose it was."""
    if told(fleet, cluster):
        reasons = _reasons(cluster, suspends=fleet.governance.reclaim.mode is ReclaimMode.SUSPEND)
        records = (
            *_sources(),
            *(record(series.RECLAIMED, expr, reason=reason.value) for reason, expr in reasons.items()),
        )
        yield Group(name="gpuplan-reclaimed", records=records, alerts=(_spike(fleet, cluster),), interval=INTERVAL)


def told(fleet: Fleet, cluster: Cluster) -> bool:
    """Tell whether the cluster has queues whose evictions Kueue counts by namespace."""
    return bool(cluster.cohorts_with_queues) and has(fleet.catalog, cluster, LOCAL_EVICTED)


def _sources() -> Iterator[RecordingRule]:
    """Yield what Kueue evicted, and why."""
    evicted = grown(selected(LOCAL_EVICTED), DAY, selected(PENDING))
    yield record(
        series.EVICTED,
        f"sum by (namespace, name, reason, underlying_cause) {evicted}\nand on (namespace) {series.NAMESPACE_TEAM}",
    )
    lost = selected("kueue_evicted_workloads_total", reason="Preempted")
    yield record(series.PREEMPTED, f"sum by (cluster_queue) {grown(lost, DAY, selected(PENDING))}")
    won = grown(selected("kueue_preempted_workloads_total", reason="InClusterQueue"), DAY, selected(PENDING))
    within = f'sum by (cluster_queue) (label_replace({won}, "cluster_queue", "$1", "preempting_cluster_queue", "(.+)"))'
    yield record(
        series.EVICTED_WITHIN,
        f"clamp_max({within}\n/ ({series.PREEMPTED} > 0), 1)\nor {series.PREEMPTED} * 0",
    )


def disrupted(cluster: Cluster) -> RecordingRule:
    """Return the work whose pods with cards are taken away now, for a group that looks often: such pods are soon gone.

    A pod that nobody made is work of its own.
    """
    names = sorted(
        {base.prometheus_label(made.resource) for pool in cluster.pools for made in produced_resources(pool)}
    )
    asked = f'kube_pod_container_resource_requests{{resource=~"{"|".join(names)}"}} > 0'
    taken = f"max by (namespace, pod, reason) ({_DISRUPTION} == 1) and on (namespace, pod) {asked}"
    maker = "namespace, pod, created_by_kind, created_by_name"
    made = f'kube_pod_info{{created_by_kind!~"{_NOBODY}"}}'
    alone = f'label_replace(kube_pod_info{{created_by_kind=~"{_NOBODY}"}}, "created_by_name", "$1", "pod", "(.+)")'
    owner = f"max by ({maker}) ({made} or {alone})"
    return record(
        series.DISRUPTED,
        "max by (namespace, created_by_kind, created_by_name, reason) (\n"
        f"  ({taken})\n  * on (namespace, pod) group_left (created_by_kind, created_by_name) {owner}\n)\n"
        f"and on (namespace) {series.NAMESPACE_TEAM}",
    )


def _reasons(cluster: Cluster, *, suspends: bool) -> Mapping[ReclaimReason, str]:
    """Return what was lost for each reason, by namespace. What is asked of Kubernetes' eviction API, somebody asked."""
    stopped = _total(_evicted(reason="Deactivated", underlying_cause=""))
    mine = f'sum by (namespace) (round(increase({RECLAIMED_TOTAL}{{owner_kind!~"{_SCALED}"}}[{DAY}])))'
    idle = f'sum by (namespace) (round(increase({RECLAIMED_TOTAL}{{reason="{ReclaimReason.IDLE.value}"}}[{DAY}])))'
    found = {
        ReclaimReason.IDLE: idle,
        ReclaimReason.MAX_RUNTIME: _total(_evicted(underlying_cause="MaximumExecutionTimeExceeded")),
        ReclaimReason.QUOTA_RECLAIM: _total(_preempted(cluster, f"(1 - {series.EVICTED_WITHIN})")),
        ReclaimReason.PRIORITY: _total(
            _preempted(cluster, series.EVICTED_WITHIN.name), _taken("PreemptionByScheduler")
        ),
        ReclaimReason.NODE_FAILURE: _larger(_evicted(reason="NodeFailures"), _taken(_FAILED)),
        ReclaimReason.PODS_READY_TIMEOUT: _total(
            _evicted(reason="PodsReadyTimeout"), _evicted(underlying_cause="RequeuingLimitExceeded")
        ),
        ReclaimReason.QUEUE_STOPPED: _total(
            _evicted(reason="ClusterQueueStopped"), _evicted(reason="LocalQueueStopped")
        ),
        ReclaimReason.MANUAL: _total(
            f"clamp_min({stopped} - {mine} or {stopped}, 0)" if suspends else stopped,
            _evicted(reason="AdmissionCheck"),
            _evicted(underlying_cause="AdmissionCheck"),
            _taken("EvictionByEvictionAPI"),
        ),
    }
    return {reason: expr for reason, expr in found.items() if suspends or reason is not ReclaimReason.IDLE}


def _evicted(**labels: str) -> str:
    matchers = ", ".join(f'{label}="{value}"' for label, value in labels.items())
    return f"{series.EVICTED}{{{matchers}}}"


def _preempted(cluster: Cluster, part: str) -> str:
    """Return what Kueue preempted, times a part that each queue has. A LocalQueue is named after its task pool, but for renamed
    ones.
    """
    local = f'label_replace({_evicted(reason="Preempted")}, "task_pool", "$1", "name", "(.+)")'
    for cohort in cluster.cohorts_with_queues:
        if cohort.local_queue != cohort.task_pool.name:
            local = f'label_replace({local}, "task_pool", "{cohort.task_pool.name}", "name", "{cohort.local_queue}")'
    return (
        f"{local} * {TO_TEAM}"
        f" * on (team, task_pool) group_left (cluster_queue) {series.QUEUE_TEAM}"
        f" * on (cluster_queue) group_left () {part}"
    )


def _taken(reasons: str) -> str:
    """Count the work of each namespace that lost pods within a day, each once."""
    once = f'count_over_time({series.DISRUPTED}{{reason=~"{reasons}"}}[{DAY}])'
    return f"count by (namespace) (count by (namespace, created_by_kind, created_by_name) ({once}))"


def _total(*terms: str) -> str:
    """Add terms up by namespace; none of them need be there."""
    return f"sum by (namespace) ({_marked(terms)})"


def _larger(*terms: str) -> str:
    """Take the larger of the terms by namespace; none of them need be there."""
    return f"max by (namespace) ({_marked([_total(term) for term in terms])})"


def _marked(terms: Sequence[str]) -> str:
    """Join terms whose labels may be the same."""
    if len(terms) == 1:
        return terms[0]
    marked = (f'label_replace({term}, "part", "{number}", "", "")' for number, term in enumerate(terms, start=1))
    return "\n  or ".join(marked)


def _spike(fleet: Fleet, cluster: Cluster) -> Alert:
    most = fleet.monitoring.thresholds.reclaimed_per_day
    return Alert(
        name="GpuReclaimSpike",
        expr=of_namespace_team(f"sum by (namespace) ({series.RECLAIMED}) > {most}"),
        wait="5m",
        severity="info",
        team="",
        summary="Much of a team's work lost its GPUs within a day.",
        description="{{ $value }} workloads in namespace {{ $labels.namespace }} lost their GPUs within a day. See on the team's "
        "dashboard for which reason: work that gives back what it borrowed may save its state more often; work that is "
        "preempted all the time belongs in another task pool.",
        cases=tuple(reclaimed_cases.spike(cluster, most)),
    )
