"""A threshold that what is measured never reaches, so that its alert never fires.

Waits are told by Kueue's histograms, and no quantile goes beyond their last bucket: 40,960 seconds (11 hours) for admission,
10,240 seconds (under 3 hours) for the start. Where Kueue waits for pods to be ready, a job that is not ready in time is evicted
and has no start at all. Pods by which we measure where Kueue does not are looked at for six hours.

Source: Kueue 0.19, pkg/metrics; Kueue, waitForPodsReady.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/threshold-never-reached",
    severity=Severity.WARNING,
    summary="A threshold that no measurement reaches",
    why="The alert never fires: what it looks at ends below the threshold.",
    fix="Lower the threshold.",
    bad="monitoring: {thresholds: {queueWaitMinutes: 720}}",
    good="monitoring: {thresholds: {queueWaitMinutes: 240}}",
)
_PODS_SECONDS = 6 * 3600
"""For so long after their scheduling pods are looked at, where Kueue does not wait for them."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each threshold on waits that is too high for some cluster, with the lowest bound of them."""
    thresholds = fleet.monitoring.thresholds
    clusters = [cluster for cluster in fleet.clusters if cluster.cohorts_with_queues]
    for key, minutes, reach in (
        ("queueWaitMinutes", thresholds.queue_wait_minutes, _longest_wait),
        ("startMinutes", thresholds.start_minutes, _longest_start),
    ):
        bounds = [(*reach(fleet, cluster), cluster.name) for cluster in clusters]
        low = [bound for bound in bounds if bound[0] <= minutes * 60]
        if low:
            seconds, why, _ = min(low)
            names = ", ".join(f"`{name}`" for *_, name in low)
            yield DOC.found(
                f"No measurement reaches `{key}: {minutes}` in {names}",
                at=fleet.places.value((*fleet.monitoring.path, "thresholds", key)),
                detail=f"{why} The alert never fires.",
                fix=f"Write at most {(seconds - 1) // 60}.",
            )


def _longest_wait(fleet: Fleet, _cluster: Cluster) -> tuple[int, str]:
    seconds = fleet.catalog.metrics["kueue_admission_wait_time_seconds"].up_to or 0
    return seconds, f"Kueue's histogram of waits ends at {seconds} seconds."


def _longest_start(fleet: Fleet, cluster: Cluster) -> tuple[int, str]:
    timeout = cluster.kueue.pods_ready_timeout_seconds
    if not timeout:
        return _PODS_SECONDS, "Pods are looked at for six hours after their scheduling."
    seconds = fleet.catalog.metrics["kueue_admitted_until_ready_wait_time_seconds"].up_to or 0
    if timeout < seconds:
        return timeout, f"Kueue evicts what is not ready after {timeout} seconds (`podsReadyTimeoutSeconds`)."
    return seconds, f"Kueue's histogram of starts ends at {seconds} seconds."
