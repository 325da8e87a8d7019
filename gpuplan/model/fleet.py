"""The whole resolved fleet: what rules read and emitters turn into manifests.

Nothing here is optional and no string is a name to look up. Positions are not stored in the objects but asked for:
`fleet.places.value(pool.path + ("nodes",))` is the span of that value in `fleet/`.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from gpuplan.catalog import Catalog, Vendor
from gpuplan.catalog.releases import Component, Release
from gpuplan.diagnostics import KeyPath, Span
from gpuplan.model.adopted import NOTHING, Adopted
from gpuplan.model.flavors import Flavor
from gpuplan.model.monitoring import Monitoring
from gpuplan.model.pools import NodePool, Stack
from gpuplan.model.queues import Cohort, TaskPool, Team
from gpuplan.model.quota_tree import QuotaTree
from gpuplan.model.reclaim import Reclaim
from gpuplan.versions import Version


class Places(Protocol):
    """Where the spec says what. Paths that the spec does not hold answer with their closest ancestor."""

    def key(self, path: KeyPath) -> Span:
        """Return the span of the last key of the path."""
        ...

    def value(self, path: KeyPath) -> Span:
        """Return the span of the value at the path."""
        ...

    def plain(self) -> Mapping[str, Any]:
        """Return the whole spec as plain data, defaults filled in."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """How Argo CD knows the cluster."""

    name: str
    server: str
    """Empty where the destination is by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KueueSettings:
    """How Kueue runs in a cluster."""

    managed: bool
    """Whether gpuplan renders Kueue's own installation; otherwise others install it with the settings we state."""
    version: Version
    pods_ready_timeout_seconds: int
    """0 switches waitForPodsReady off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuOperatorSettings:
    """How the GPU Operator runs in a cluster; it matters only where it is there: see `Cluster.has_operator`."""

    managed: bool
    """Whether gpuplan renders its installation; otherwise others install it, and gpuplan renders the ClusterPolicy."""
    version: Version
    namespace: str
    """Namespace of the operator and its agents."""
    kept_off: bool = False
    """Whether nodes of other stacks are kept off it although no pool is on it."""
    standby: bool = False
    """Whether it is there although no pool is on it; then `kept_off` is true, too."""


Distribution = Literal["kubeadm", "rke2", "k3s", "openshift", "eks", "gke", "aks", "talos"]
"""Who makes the Kubernetes in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One Kubernetes cluster with its hardware, its queues and its component versions."""

    name: str
    kubernetes: Version
    distribution: Distribution
    os: str
    container_runtime: str
    stack: Stack
    """Who runs the node agents of pools that do not say so themselves."""
    nvidia_default_runtime: bool
    """Whether containerd runs every pod with the nvidia runtime, so that no RuntimeClass is needed."""
    device_list_strategy: Literal["envvar", "volume-mounts"]
    """How our device plugin names a pod's cards to the nvidia runtime."""
    nfd_taints: bool
    """Whether the cluster's NFD master runs with -enable-taints."""
    release: Release
    components: Mapping[str, Component]
    """The release's components with the spec's overrides, by component name."""
    kueue: KueueSettings
    gpu_operator: GpuOperatorSettings
    destination: Destination
    owners: tuple[str, ...]
    """Who is asked before a change disrupts it."""
    pools: tuple[NodePool, ...]
    flavors: tuple[Flavor, ...]
    cohorts: tuple[Cohort, ...]
    """Task pools that have a flavor here, in the order of the spec."""
    teams: tuple[Team, ...]
    """Teams with a queue here."""
    quota: QuotaTree
    adopted: Adopted = NOTHING
    """What stays as it was."""
    path: KeyPath

    @property
    def cohorts_with_queues(self) -> tuple[Cohort, ...]:
        """The task pools that a job can name: those where some team has a queue."""
        return tuple(cohort for cohort in self.cohorts if cohort.queues)

    @property
    def own_quota(self) -> bool:
        """Whether Kueue gets flavors and a quota tree of ours: not where what is adopted is all that anybody uses."""
        return bool(self.cohorts) or not self.adopted.for_kueue or self.adopted.needs(self.flavors)

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Short names of the workload kinds that any of its queues takes, sorted."""
        own = {name for cohort in self.cohorts for name in cohort.task_pool.frameworks}
        return tuple(sorted(own.union(self.adopted.frameworks)))

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Namespaces of its teams, sorted."""
        return tuple(sorted({name for team in self.teams for name in team.namespaces}))

    @property
    def queue_namespaces(self) -> tuple[str, ...]:
        """Namespaces with queues, those of its teams and those with adopted ones, sorted."""
        return tuple(sorted({*self.namespaces, *self.adopted.namespaces}))

    def pools_on(self, stack: Stack, vendor: Vendor | None = None) -> tuple[NodePool, ...]:
        """Return its pools whose node agents a stack runs: all of them, or those with a vendor's cards."""
        return tuple(pool for pool in self.pools if pool.stack == stack and vendor in (None, pool.card.vendor))

    @property
    def operator_pools(self) -> tuple[NodePool, ...]:
        """Its pools with NVIDIA cards whose agents the GPU Operator runs."""
        return self.pools_on("operator", Vendor.NVIDIA)

    @property
    def has_operator(self) -> bool:
        """Whether the GPU Operator is there: for a pool, or on standby."""
        return self.gpu_operator.standby or bool(self.operator_pools)

    @property
    def keeps_operator_off(self) -> bool:
        """Whether its NVIDIA nodes of other stacks carry the label by which the GPU Operator leaves them alone."""
        return self.gpu_operator.kept_off or self.has_operator

    @property
    def operator_driver_pools(self) -> tuple[NodePool, ...]:
        """Those of them whose driver the operator installs."""
        return tuple(pool for pool in self.operator_pools if not pool.driver.preinstalled)

    def users_of(self, pools: Iterable[NodePool]) -> tuple[Cohort, ...]:
        """Return the task pools whose work may run on one of the pools."""
        tiers = {pool.tier.name for pool in pools}
        return tuple(cohort for cohort in self.cohorts if not tiers.isdisjoint(cohort.task_pool.tiers))

    def longest_drain_seconds(self, pools: Iterable[NodePool]) -> int:
        """Return the longest grace of stateful pods that may run on the pools; 0 where there are none."""
        return max((cohort.task_pool.drain_seconds for cohort in self.users_of(pools)), default=0)

    def flavor(self, name: str) -> Flavor:
        """Return one of its flavors; an unknown name is a fault of ours and raises KeyError."""
        return {flavor.name: flavor for flavor in self.flavors}[name]


class Enforcement(enum.Enum):
    """How a guard rail acts; the value is the spelling in the spec."""

    OFF = "off"
    WARN = "warn"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRails:
    """How strictly the admission policies act; the priority band policy always denies."""

    queue_required: Enforcement
    produced_resources: Enforcement
    stateful_serving: Enforcement
    exempt_users: tuple[str, ...]
    """Users whose pods need no queue, besides Kubernetes' and Kueue's own controllers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A time in which Argo CD may, or may not, bring changes to clusters. Rules read its schedule and duration."""

    name: str
    allows: bool
    """Whether changes come in such windows only; otherwise never in this one."""
    schedule: str
    duration: str
    time_zone: str
    clusters: tuple[str, ...]
    """Names of the clusters that it holds for, in the order of the fleet."""
    named: tuple[str, ...]
    """Clusters as the spec names them; empty where it names none."""
    manual_sync: bool
    """Whether a person may sync by hand while the window keeps changes off."""
    sync_overrun: bool
    """Whether a sync that is under way when its time ends goes on."""
    reason: str
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHealth:
    """How nodes whose GPUs are not healthy are kept from new pods by the node readiness controller."""

    clusters: tuple[str, ...]
    """Names of the clusters in which it judges, in the order of the fleet; none where it judges nowhere."""
    conditions: tuple[tuple[str, bool], ...]
    """(type of a node's condition, its status on a healthy node), in the order of the spec."""
    dry_run: bool
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """Who answers for the platform, and from which risk of a plan they are asked."""

    owners: tuple[str, ...]
    since: Literal["low", "disruptive", "destructive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance:
    """Fleet-wide policy."""

    approvals: Approvals
    guard_rails: GuardRails
    windows: tuple[Window, ...]
    node_health: NodeHealth
    reclaim: Reclaim
    pod_security: str
    """Pod Security level of team namespaces: privileged, baseline or restricted."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where Argo CD finds `rendered/`, and how it brings it to the clusters."""

    repo_url: str
    target_revision: str
    path: str
    namespace: str
    project: str
    as_set: bool
    """Whether one ApplicationSet makes the Applications of the clusters."""
    rollout: tuple[tuple[str, ...], ...]
    """Names of clusters by step, as the spec has them; empty where all are synced at once."""
    replace_priority_classes: bool
    """Whether a PriorityClass that changes is deleted and made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A finding that the fleet's owner accepts, with the reason and the last day on which that holds."""

    rule: str
    at: str
    """Dotted path below which the finding is accepted; empty for the whole fleet."""
    reason: str
    until: datetime.date
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An entry of a section (`teams`) that has a new name."""

    section: str
    old: str
    new: str
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Everything that the spec says, with every name bound and every default filled in."""

    name: str
    clusters: tuple[Cluster, ...]
    task_pools: tuple[TaskPool, ...]
    teams: tuple[Team, ...]
    monitoring: Monitoring
    governance: Governance
    delivery: Delivery
    suppressions: tuple[Suppression, ...]
    moved: tuple[Move, ...]
    """Entries that have a new name since some earlier state of the spec."""
    today: datetime.date
    """The day for which rules judge dates; an argument of the run, never read from a clock here."""
    catalog: Catalog = field(repr=False)
    places: Places = field(repr=False)
