"""Claims on devices (DRA): which pools offer them, in which units, and the templates that a task pool's pods name.

Where pods claim devices, the resource names of a flavor are ours (`conventions.dra_resource`) and only Kueue knows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.queues import Cohort
from gpuplan.model.sharing import WHOLE_CARD, Unit

MOST_DEVICES = 32
"""Devices that one claim can be allocated (resource.k8s.io/v1, AllocationResultsMaxSize)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTemplate:
    """A ResourceClaimTemplate: so many devices of one class for each pod."""

    name: str
    device_class: str
    count: int


def dra_pools(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools whose cards pods claim."""
    return tuple(pool for pool in cluster.pools if pool.exposure is Exposure.DRA)


def claimable(cluster: Cluster) -> dict[str, str]:
    """Return the resources that Kueue counts for claims in a cluster, each with its MIG profile, sorted by resource.

    The profile is empty for whole cards.
    """
    found = {name: profile for flavor in cluster.flavors for name, profile in _profiles(flavor.units).items()}
    return dict(sorted(found.items()))


def _profiles(units: Mapping[str, Unit]) -> dict[str, str]:
    return {
        name: "" if unit == WHOLE_CARD else unit.part
        for name, unit in units.items()
        if name.startswith(conventions.DRA_RESOURCES)
    }


def claim_templates(cohort: Cohort) -> tuple[ClaimTemplate, ...]:
    """Return the templates of a task pool in one cluster: one for each unit of its flavors and each count, sorted by them."""
    profiles = {profile for flavor in cohort.flavors for profile in _profiles(flavor.units).values()}
    return tuple(
        ClaimTemplate(
            name=conventions.claim_template_name(cohort.task_pool.name, profile, count),
            device_class=conventions.device_class_name(profile),
            count=count,
        )
        for profile in sorted(profiles)
        for count in counts(cohort.task_pool.largest_job.per_pod)
    )


def counts(largest: int) -> tuple[int, ...]:
    """Return how many devices pods may claim at once: the powers of two up to the largest pod's, and that itself.

    >>> counts(6)
    (1, 2, 4, 6)
    """
    powers = {1 << bit for bit in range(largest.bit_length())}
    return tuple(sorted(powers | {largest}))
