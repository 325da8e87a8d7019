"""Adopted queues in a cluster whose task pools set Kueue's switches.

Kueue has one configuration. Where task pools have queues, fair sharing is on, since shared pools need it, and resources that no
queue covers are left to the scheduler. Both then hold for adopted queues, too: who borrows is preempted by share rather than by
priority alone, and a job that was held back because it asks for a resource which its queue does not cover is admitted.

Source: Kueue 0.19, `fairSharing` and `resources.quotaCheckStrategy` of its configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="adopted/beside-task-pools",
    severity=Severity.INFO,
    summary="Adopted queues in a cluster whose task pools set Kueue's switches",
    why="Kueue has one configuration: fair sharing is on and resources that no queue covers are not counted, for all queues.",
    fix="Nothing has to change. Move the queues to task pools when their teams are ready.",
    bad="teams:\n  nlp: {quotas: {pretrain: {}}}\nadopted:\n  eu: {clusterQueues: {vision: {}}}",
    good="adopted:\n  eu: {clusterQueues: {vision: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with adopted queues and queues of task pools."""
    for cluster in fleet.clusters:
        queues = cluster.adopted.of("ClusterQueue")
        if queues and cluster.cohorts_with_queues:
            yield DOC.found(
                f"Fair sharing and uncounted resources hold for the adopted queues of cluster `{cluster.name}`, too",
                at=fleet.places.key(queues[0].path),
            )
