"""A pod that claims more devices than one claim can hold.

Each pod gets one claim from the template of its task pool, and a claim is allocated 32 devices at most. One on more is never
allocated, and its pod stays Pending.

Source: Kubernetes, resource.k8s.io/v1, AllocationResultsMaxSize.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import MOST_DEVICES, claim_templates
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts

DOC = RuleDoc(
    id="dra/too-many-devices",
    severity=Severity.ERROR,
    summary="A pod that claims more devices than one claim can hold",
    why="Kubernetes allocates 32 devices to a claim at most: a pod that claims more stays Pending for ever.",
    fix="Write 32 or less, and more pods.",
    bad="taskPools:\n  slices: {tiers: [lab], largestJob: {cardsPerPod: 56}}",
    good="taskPools:\n  slices: {tiers: [lab], largestJob: {pods: 2, cardsPerPod: 28}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool that claims and whose largest pod is too large."""
    for _, cohort in cohorts(fleet):
        largest = cohort.task_pool.largest_job.per_pod
        if largest > MOST_DEVICES and claim_templates(cohort):
            yield DOC.found(
                f"The pods of `{cohort.task_pool.name}` claim up to {largest} devices, and a claim holds {MOST_DEVICES}",
                at=fleet.places.value((*cohort.task_pool.path, "largestJob", "cardsPerPod")),
            )
