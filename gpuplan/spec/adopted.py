"""`adopted:`: Kueue's objects and priority classes that stay as they were, until somebody moves them to task pools.

Fields and values are those of `kueue.x-k8s.io/v1beta2` and `scheduling.k8s.io/v1`. What is left out here is left out there, where
that has a meaning of its own: no `namespaceSelector` is nobody and `{}` everybody, no `borrowingLimit` is no limit. Only
`stopPolicy` is no part of it: that is left to people.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from gpuplan.spec.adopted_flavors import AdoptedFlavorSpec, AdoptedTopologySpec, ObjectName
from gpuplan.spec.base import DNS_LABEL, DNS_SUBDOMAIN, LabelKey, Labels, LabelValue, Name, SpecModel, Text
from gpuplan.spec.pools import QuantityText
from gpuplan.spec.queues import Framework

PlacedName = Annotated[str, StringConstraints(pattern=f"{DNS_LABEL[:-1]}/{DNS_SUBDOMAIN}$", max_length=317)]
"""A namespace and the name of an object in it: `vision/default-queue`."""
ResourceName = LabelKey
Priority = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
MAX_USER_PRIORITY = 1_000_000_000
"""What Kubernetes takes for a PriorityClass of people's; higher ones are its own."""
MAX_FLAVORS = 64
MAX_GROUPS = 16


class AdoptedQuotaSpec(SpecModel):
    """The quota of one resource in one flavor."""

    name: ResourceName
    """Name of the resource, such as `nvidia.com/gpu` or `cpu`."""
    nominal_quota: QuantityText
    """What there is of it."""
    borrowing_limit: QuantityText | None = None
    """Most that may be borrowed from the cohort; without it there is no limit."""
    lending_limit: QuantityText | None = None
    """Most that others may borrow; all of it without."""


class AdoptedFlavorQuotasSpec(SpecModel):
    """The quotas of one flavor."""

    name: ObjectName
    """The ResourceFlavor."""
    resources: Annotated[list[AdoptedQuotaSpec], Field(min_length=1, max_length=64)]
    """One quota for each of the covered resources, in their order."""


class AdoptedGroupSpec(SpecModel):
    """Resources that a job gets from one flavor together."""

    covered_resources: Annotated[list[ResourceName], Field(min_length=1, max_length=64)]
    """Their names."""
    flavors: Annotated[list[AdoptedFlavorQuotasSpec], Field(min_length=1, max_length=MAX_FLAVORS)]
    """Flavors in the order in which they are tried."""


class AdoptedFairSharingSpec(SpecModel):
    """The weight of a queue or cohort among those beside it."""

    weight: QuantityText = "1"
    """The weight; 0 is always the first victim."""


class AdoptedCohortSpec(SpecModel):
    """A Cohort."""

    parent_name: ObjectName | None = None
    """The cohort above it; none for a root."""
    resource_groups: Annotated[list[AdoptedGroupSpec], Field(max_length=MAX_GROUPS)] | None = None
    """Quotas of its own, in addition to those of its members."""
    fair_sharing: AdoptedFairSharingSpec | None = None
    """Its weight."""


class AdoptedExpressionSpec(SpecModel):
    """A condition on a label."""

    key: LabelKey
    """The label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How its value is compared."""
    values: list[LabelValue] | None = None
    """Values, for `In` and `NotIn`."""


class AdoptedSelectorSpec(SpecModel):
    """Which namespaces; `{}` is all of them."""

    match_labels: Labels | None = None
    """Labels that they must have."""
    match_expressions: list[AdoptedExpressionSpec] | None = None
    """Conditions that must hold."""


class AdoptedFungibilitySpec(SpecModel):
    """When Kueue looks at the next flavor."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = "MayStopSearch"
    """What it does where the job fits by borrowing."""
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = "TryNextFlavor"
    """What it does where the job fits by preempting."""
    preference: Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None = None
    """What it prefers where no flavor takes the job as it is."""


class AdoptedBorrowWithinCohortSpec(SpecModel):
    """Whether a borrower may preempt in other queues."""

    policy: Literal["Never", "LowerPriority"] = "Never"
    """Whom it may preempt."""
    max_priority_threshold: Priority | None = None
    """Only jobs up to this priority."""


class AdoptedPreemptionSpec(SpecModel):
    """Whom a queue may evict."""

    reclaim_within_cohort: Literal["Never", "LowerPriority", "Any"] = "Never"
    """In other queues, to get back what is its own."""
    borrow_within_cohort: AdoptedBorrowWithinCohortSpec = AdoptedBorrowWithinCohortSpec()
    """In other queues, to borrow."""
    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"
    """In the queue itself."""


class AdoptedCheckSpec(SpecModel):
    """An AdmissionCheck."""

    name: Annotated[Text, StringConstraints(max_length=316)]
    """Its name."""
    on_flavors: Annotated[list[ObjectName], Field(max_length=MAX_FLAVORS)] | None = None
    """Flavors that it is for; all by default."""


class AdoptedChecksSpec(SpecModel):
    """The AdmissionChecks of a queue."""

    admission_checks: Annotated[list[AdoptedCheckSpec], Field(min_length=1, max_length=64)]
    """The checks."""


class AdoptedScopeSpec(SpecModel):
    """How usage of the past counts for the order of a queue."""

    admission_mode: Literal["UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"]
    """Whether it counts."""


class AdoptedConstraintsSpec(SpecModel):
    """How far a job may move."""

    last_acceptable_flavor_name: ObjectName | None = None
    """The last flavor that will do."""


class AdoptedMigrationSpec(SpecModel):
    """How admitted jobs move to flavors that they prefer."""

    mode: Literal["TryPreferredFlavors", "RetainFirstAdmission"]
    """Whether they move."""
    constraints: AdoptedConstraintsSpec | None = None
    """How far they may move."""


class AdoptedConcurrentAdmissionSpec(SpecModel):
    """Admission to several flavors at once."""

    migration: AdoptedMigrationSpec
    """How admitted jobs move."""


class AdoptedClusterQueueSpec(SpecModel):
    """A ClusterQueue."""

    team: Name | None = None
    """The team that it belongs to, where it is one's alone."""
    cohort_name: ObjectName | None = None
    """Its cohort."""
    namespace_selector: AdoptedSelectorSpec | None = None
    """Namespaces that may submit to it: `{}` is all of them, and without it no namespace may."""
    queueing_strategy: Literal["StrictFIFO", "BestEffortFIFO"] = "BestEffortFIFO"
    """Whether smaller jobs may overtake the first in the queue."""
    resource_groups: Annotated[list[AdoptedGroupSpec], Field(max_length=MAX_GROUPS)] | None = None
    """Its quotas."""
    preemption: AdoptedPreemptionSpec = AdoptedPreemptionSpec()
    """Whom it may evict."""
    flavor_fungibility: AdoptedFungibilitySpec = AdoptedFungibilitySpec()
    """When Kueue looks at the next flavor."""
    fair_sharing: AdoptedFairSharingSpec | None = None
    """Its weight."""
    admission_checks_strategy: AdoptedChecksSpec | None = None
    """Checks before admission."""
    admission_scope: AdoptedScopeSpec | None = None
    """How usage of the past counts."""
    concurrent_admission_policy: AdoptedConcurrentAdmissionSpec | None = None
    """Admission to several flavors at once."""


class AdoptedLocalQueueSpec(SpecModel):
    """A LocalQueue."""

    cluster_queue: ObjectName
    """The ClusterQueue behind it."""
    fair_sharing: AdoptedFairSharingSpec | None = None
    """Its weight."""


class AdoptedWorkloadPriorityClassSpec(SpecModel):
    """A WorkloadPriorityClass."""

    value: Priority
    """The priority."""
    description: Annotated[Text, StringConstraints(max_length=2048)] | None = None
    """What it is for."""


class AdoptedPriorityClassSpec(SpecModel):
    """A PriorityClass."""

    value: Annotated[Priority, Field(le=MAX_USER_PRIORITY)]
    """The priority."""
    global_default: bool = False
    """Whether it is the class of pods that name none; one class of a cluster at most."""
    preemption_policy: Literal["Never", "PreemptLowerPriority"] = "PreemptLowerPriority"
    """Whether its pods may push out others."""
    description: Text | None = None
    """What it is for."""


class AdoptedClusterSpec(SpecModel):
    """What stays in one cluster. Each object is rendered as it is written here, with Kueue's defaults filled in."""

    resource_flavors: dict[ObjectName, AdoptedFlavorSpec] = {}
    """ResourceFlavors by name."""
    topologies: dict[ObjectName, AdoptedTopologySpec] = {}
    """Topologies by name."""
    cohorts: dict[ObjectName, AdoptedCohortSpec] = {}
    """Cohorts by name. Kueue does not need an object for a cohort without quotas and parent."""
    cluster_queues: dict[ObjectName, AdoptedClusterQueueSpec] = {}
    """ClusterQueues by name."""
    local_queues: dict[PlacedName, AdoptedLocalQueueSpec] = {}
    """LocalQueues by namespace and name: `vision/default-queue`."""
    workload_priority_classes: dict[ObjectName, AdoptedWorkloadPriorityClassSpec] = {}
    """WorkloadPriorityClasses by name."""
    priority_classes: dict[ObjectName, AdoptedPriorityClassSpec] = {}
    """PriorityClasses by name."""
    frameworks: Annotated[list[Framework], Field(min_length=1)] = ["job"]
    """Workload kinds that its queues take, which Kueue is told where gpuplan configures it."""
