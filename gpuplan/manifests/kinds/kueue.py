"""kueue.x-k8s.io/v1beta2, as Kueue 0.19 serves and stores it.

`stopPolicy` is missing on purpose: it is left to people, so that an emergency Hold survives self-heal.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, NamespacedMeta, ObjectMeta, StringMap
from gpuplan.manifests.kinds.pod import TaintEffect, Toleration


class TopologyLevel(TypedDict):
    """A label that nodes of one domain share."""

    nodeLabel: str


class TopologySpec(TypedDict):
    """Levels from the widest to the narrowest; immutable."""

    levels: list[TopologyLevel]


class Topology(TypedDict):
    """The levels of nearness in a cluster."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["Topology"]
    metadata: ObjectMeta
    spec: TopologySpec


class Taint(TypedDict):
    """A taint on a flavor's nodes: a filter, never tolerated for you."""

    key: str
    value: NotRequired[str]
    effect: TaintEffect


class ResourceFlavorSpec(TypedDict):
    """Which nodes a flavor stands for. With `topologyName` the whole spec is immutable."""

    nodeLabels: NotRequired[StringMap]
    nodeTaints: NotRequired[list[Taint]]
    tolerations: NotRequired[list[Toleration]]
    topologyName: NotRequired[str]


class ResourceFlavor(TypedDict):
    """One kind of card on one kind of node."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["ResourceFlavor"]
    metadata: ObjectMeta
    spec: ResourceFlavorSpec


class ResourceQuotaInFlavor(TypedDict):
    """Quota of one resource in one flavor, as canonical quantities. No `borrowingLimit` means no limit."""

    name: str
    nominalQuota: str
    borrowingLimit: NotRequired[str]
    lendingLimit: NotRequired[str]


class FlavorQuotas(TypedDict):
    """Quotas of a flavor; `resources` in the order of the group's `coveredResources`."""

    name: str
    resources: list[ResourceQuotaInFlavor]


class ResourceGroup(TypedDict):
    """Resources that come from one flavor together; flavors are tried in the listed order."""

    coveredResources: list[str]
    flavors: list[FlavorQuotas]


class FairSharing(TypedDict):
    """The weight among siblings, a canonical quantity; `0` is always the first victim."""

    weight: str


class CohortSpec(TypedDict):
    """A node of the quota tree. Its quota is in addition to that of its members."""

    parentName: NotRequired[str]
    resourceGroups: NotRequired[list[ResourceGroup]]
    fairSharing: NotRequired[FairSharing]


class Cohort(TypedDict):
    """Queues and cohorts that lend to each other."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["Cohort"]
    metadata: ObjectMeta
    spec: CohortSpec


class FlavorFungibility(TypedDict):
    """When to look at the next flavor."""

    whenCanBorrow: Literal["MayStopSearch", "TryNextFlavor"]
    whenCanPreempt: Literal["MayStopSearch", "TryNextFlavor"]
    preference: NotRequired[Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"]]


class BorrowWithinCohort(TypedDict):
    """Whether a borrower may preempt in other queues."""

    policy: Literal["Never", "LowerPriority"]
    maxPriorityThreshold: NotRequired[int]


class Preemption(TypedDict):
    """Whom a queue may evict."""

    reclaimWithinCohort: Literal["Never", "LowerPriority", "Any"]
    borrowWithinCohort: BorrowWithinCohort
    withinClusterQueue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"]


class AdmissionCheckStrategyRule(TypedDict):
    """A check before admission, on some flavors or on all."""

    name: str
    onFlavors: NotRequired[list[str]]


class AdmissionChecksStrategy(TypedDict):
    """The checks of a queue."""

    admissionChecks: list[AdmissionCheckStrategyRule]


class ClusterQueueSpec(TypedDict):
    """The quota of one team in one task pool. `namespaceSelector` left out would select no namespace."""

    cohortName: NotRequired[str]
    namespaceSelector: LabelSelector
    queueingStrategy: Literal["BestEffortFIFO", "StrictFIFO"]
    resourceGroups: list[ResourceGroup]
    flavorFungibility: FlavorFungibility
    preemption: Preemption
    admissionChecksStrategy: NotRequired[AdmissionChecksStrategy]
    fairSharing: NotRequired[FairSharing]


class ClusterQueue(TypedDict):
    """A queue with quota."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["ClusterQueue"]
    metadata: ObjectMeta
    spec: ClusterQueueSpec


class LocalQueueSpec(TypedDict):
    """The queue behind a namespace's door; `clusterQueue` is immutable."""

    clusterQueue: str
    fairSharing: NotRequired[FairSharing]


class LocalQueue(TypedDict):
    """What a user names in `kueue.x-k8s.io/queue-name`."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["LocalQueue"]
    metadata: NamespacedMeta
    spec: LocalQueueSpec


class WorkloadPriorityClass(TypedDict):
    """A priority in the queue, apart from that of the pods."""

    apiVersion: Literal["kueue.x-k8s.io/v1beta2"]
    kind: Literal["WorkloadPriorityClass"]
    metadata: ObjectMeta
    description: NotRequired[str]
    value: int
