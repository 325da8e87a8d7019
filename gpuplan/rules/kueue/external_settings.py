"""Kueue installed by others, on whose settings the service classes rest.

With `kueue: {install: external}` gpuplan renders queues and not Kueue itself. The service classes then hold only if
Kueue runs with fair sharing (it makes reclaimable work the first victim and divides shared pools), manages the
workload kinds that the task pools run, and waits for pods as long as the spec says. None of that can be seen from
here.

Source: Kueue configuration: fairSharing, integrations.frameworks, waitForPodsReady; #4961.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="kueue/external-settings",
    severity=Severity.INFO,
    summary="Kueue installed by others, on whose settings the service classes rest",
    why="Without fair sharing, reclaimable work is not the first victim and shared pools are not divided by weight; "
    "a workload kind that Kueue does not manage runs past every queue.",
    fix="Compare these settings with the Kueue that runs there.",
    bad="clusters:\n  eu: {kubernetes: '1.36', kueue: {install: external}}",
    good="clusters:\n  eu: {kubernetes: '1.36', kueue: {install: managed}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with queues and an external Kueue, with the settings that it needs."""
    for cluster in fleet.clusters:
        if not cluster.kueue.managed and cluster.teams:
            yield DOC.found(
                f"Kueue in cluster `{cluster.name}` must run with fair sharing, manage {listed(cluster.frameworks)}, "
                f"and {_timeout(cluster)}",
                at=point(fleet, (*cluster.path, "kueue", "install")),
            )


def _timeout(cluster: Cluster) -> str:
    seconds = cluster.kueue.pods_ready_timeout_seconds
    return f"have a waitForPodsReady timeout of {seconds} s" if seconds else "not wait for pods to be ready"
