"""`names:`: names in use, where the fleet's own scheme would give others."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from gpuplan.spec.adopted_flavors import ObjectName
from gpuplan.spec.base import DNS_SUBDOMAIN, LabelValue, SpecModel

InUse = Annotated[str, StringConstraints(pattern=f"^{DNS_SUBDOMAIN}$", max_length=63)]
"""A name that an object has: it ends up in labels, so 63 characters are all that there is."""
SchemeName = Annotated[LabelValue, StringConstraints(min_length=1)]


class NamesSpec(SpecModel):
    """Names in use by the names that gpuplan would give: `{vision-pretrain: vision}`."""

    cluster_queues: dict[SchemeName, InUse] = {}
    """ClusterQueues, by `<team>-<taskPool>`."""
    cohorts: dict[SchemeName, InUse] = {}
    """Cohorts of task pools, by the task pool."""
    root_cohort: InUse | None = None
    """The cohort above all of them; by default it has the fleet's name."""
    flavors: dict[SchemeName, InUse] = {}
    """ResourceFlavors, by `<tier>-<card>[-<sharing>]`."""
    topologies: dict[SchemeName, InUse] = {}
    """Topologies, by the tier."""
    local_queues: dict[SchemeName, InUse] = {}
    """LocalQueues, by the task pool."""
    workload_priority_classes: dict[SchemeName, InUse] = {}
    """WorkloadPriorityClasses, by the service class and level: `guaranteed`, `queued-high`."""
    priority_classes: dict[SchemeName, ObjectName] = {}
    """PriorityClasses of pods, by `gpuplan-<service>`."""
