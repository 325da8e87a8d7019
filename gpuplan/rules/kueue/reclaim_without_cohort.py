"""Reclaiming in a queue that is in no cohort.

`reclaimWithinCohort` takes back what other queues of the cohort borrowed. Without a cohort there are none, and the setting does
nothing.

Source: Kueue, ClusterQueue preemption; GoogleCloudPlatform/kubernetes-engine-samples.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import cluster_queues
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/reclaim-without-cohort",
    severity=Severity.INFO,
    summary="Reclaiming in a queue that is in no cohort",
    why="`reclaimWithinCohort` takes back what others of the cohort borrowed; without a cohort it does nothing.",
    fix="Give the queue a cohort, or leave the setting out.",
    bad="kind: ClusterQueue\nspec: {preemption: {reclaimWithinCohort: LowerPriority}}",
    good="kind: ClusterQueue\nspec: {cohort: org, preemption: {reclaimWithinCohort: LowerPriority}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note for each queue without a cohort that would reclaim."""
    for queue in cluster_queues(inventory):
        policy = queue.preemption["reclaimWithinCohort"]
        if not queue.cohort and policy.text("Never") != "Never":
            yield DOC.found(f"{queue} is in no cohort, so `reclaimWithinCohort` does nothing", at=policy.key_span)
