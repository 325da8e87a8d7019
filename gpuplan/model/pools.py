"""Node pools, how their cards are exposed, and the joins that people get wrong by hand.

Everything that needs a GPU resource name calls `produced_resources`; everything that selects nodes calls `node_labels`;
everything that must run on a tainted pool calls `tolerations`. There is no second place that computes them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from gpuplan import conventions
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.catalog.mig import MigClass, resource_name
from gpuplan.diagnostics import KeyPath
from gpuplan.model.sharing import (
    WHOLE_CARD,
    MigStrategy,
    Sharing,
    SharingMode,
    Unit,
    mig_config_name,
    plugin_config_name,
)
from gpuplan.quantity import Quantity


class Exposure(enum.Enum):
    """How pods ask for what a pool offers; the value is the spelling in the spec."""

    DEVICE_PLUGIN = "devicePlugin"
    """A count of an extended resource."""
    DRA = "dra"
    """A claim on devices of a class (resource.k8s.io/v1). The resource names exist for Kueue alone."""


Stack = Literal["operator", "manual", "external"]
"""Who runs the node agents: the GPU Operator, gpuplan's own DaemonSets, or others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """One extended resource that a node really offers."""

    resource: str
    per_node: int
    unit: Unit


TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """A node taint; `value` empty means none."""

    key: str
    value: str
    effect: TaintEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class Toleration:
    """A toleration that matches exactly one taint of a pool."""

    key: str
    operator: Literal["Equal", "Exists"]
    value: str
    effect: TaintEffect


class SelectedBy(enum.Enum):
    """Who puts the pool's labels on its nodes; the value is the spelling in the spec."""

    LABELS = "labels"
    """The provider already did; gpuplan writes nothing to the nodes."""
    NFD = "nfd"
    """A NodeFeatureRule that gpuplan renders."""
    PROVISIONER = "provisioner"
    """Karpenter, Cluster API and the like, by a snippet that gpuplan renders outside Argo CD's reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """How the nodes of a pool are found."""

    by: SelectedBy
    labels: tuple[tuple[str, str], ...] = ()
    """Existing labels (`by: labels`), sorted."""
    provisioner: str = ""
    """karpenter, capi, eks, gke, talos or kubelet (`by: provisioner`)."""
    node_names: tuple[str, ...] = ()
    """Names or regular expressions of node names that narrow an NFD rule to this pool (`by: nfd`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The GPU driver that a pool runs."""

    branch: str
    kernel_modules: str
    """auto, open or proprietary."""
    preinstalled: bool
    """Whether the nodes come with it; otherwise the operator installs it (`stack: operator`)."""
    precompiled: bool
    """Whether the operator takes images with modules built for the nodes' kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTier:
    """A class of cards that task pools ask for by name."""

    name: str
    cards: tuple[Card, ...]
    suits: tuple[str, ...]
    levels: tuple[str, ...]
    """Topology levels from widest to `kubernetes.io/hostname`; empty where the spec says `topology: off`."""
    cost_per_card_hour: str
    """A decimal number, or empty where the spec names no price."""
    currency: str
    revision: int
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool:
    """Nodes of one cluster with one card model, one way of sharing and one set of labels and taints."""

    name: str
    cluster: str
    tier: CardTier
    card: Card
    nodes: int
    """0 where nobody has counted them."""
    cards_per_node: int
    """0 where nobody has counted them; then `nodes` is 0, too."""
    selection: Selection
    stack: Stack
    """Who runs its node agents."""
    exposure: Exposure
    sharing: Sharing
    taints: tuple[Taint, ...]
    mig_class: MigClass | None
    """How its cards can be cut; None where they cannot."""
    topology_labels: str
    """Who sets block and rack labels: provided, nfd, kubelet; empty where the spec does not say."""
    driver: Driver
    companions: Mapping[str, Quantity]
    """What each node offers besides cards and Kueue counts too, by resource name, sorted."""
    revision: int
    """The higher of its own and its tier's; 0 where neither has one."""
    path: KeyPath

    @property
    def counted(self) -> bool:
        """Whether the spec says how many nodes it has. One that nobody counted has no cards to give out."""
        return self.nodes > 0


def offered_by_plugin(pool: NodePool) -> bool:
    """Tell whether NVIDIA's device plugin offers the pool's cards; nothing else may then do so on its nodes."""
    return pool.exposure is Exposure.DEVICE_PLUGIN and pool.sharing.mode is not SharingMode.HAMI


def produced_resources(pool: NodePool) -> tuple[Produced, ...]:
    """Return the resources that each node of the pool offers, sorted by name.

    The names follow NVIDIA's device plugin (internal/resource): the whole card, shares of it under
    `nvidia.com/gpu.shared` unless the rename is opted out, MIG instances as `nvidia.com/gpu` (strategy single) or one name
    a profile (mixed). Cards of other vendors are offered whole under the vendor's name, or as the pieces that the cut makes of
    them. Where pods claim devices (DRA), the names are ours and only Kueue counts them.
    """
    sharing, cards = pool.sharing, pool.cards_per_node
    if sharing.mode is SharingMode.EXCLUSIVE:
        return (Produced(resource=_whole_card(pool), per_node=cards, unit=WHOLE_CARD),)
    if sharing.pieces:
        return tuple(Produced(resource=p.resource, per_node=cards * p.per_card, unit=p.unit) for p in sharing.pieces)
    if sharing.shared:
        share = Fraction(1, sharing.replicas)
        resource = conventions.RESOURCE_GPU_SHARED if sharing.renamed else conventions.RESOURCE_GPU
        unit = Unit(part=f"1/{sharing.replicas} card", card_share=share, hidden=not sharing.renamed)
        return (Produced(resource=resource, per_node=cards * sharing.replicas, unit=unit),)
    return _mig_resources(pool)


def shared_alike(one: NodePool, other: NodePool) -> bool:
    """Tell whether two pools expose their cards alike. Where one does not say how many cards a node has, a cut is known by its
    profiles alone.
    """
    if one.cards_per_node and other.cards_per_node:
        return one.sharing == other.sharing
    return _without_indexes(one.sharing) == _without_indexes(other.sharing)


def _without_indexes(sharing: Sharing) -> Sharing:
    return replace(sharing, groups=tuple(replace(group, indexes=()) for group in sharing.groups))


def allocatable(pool: NodePool) -> tuple[Produced, ...]:
    """Return what each node of the pool lists as allocatable: nothing where its cards are devices that pods claim."""
    return () if pool.exposure is Exposure.DRA else produced_resources(pool)


def _mig_resources(pool: NodePool) -> tuple[Produced, ...]:
    found: dict[str, Produced] = {}
    for group in pool.sharing.groups:
        parts = group.profiles or (("", 1),)
        for profile, count in parts:
            resource, unit = _mig_unit(pool, profile)
            before = found[resource].per_node if resource in found else 0
            found[resource] = Produced(resource=resource, per_node=before + count * len(group.indexes), unit=unit)
    return tuple(found[name] for name in sorted(found))


def _mig_unit(pool: NodePool, profile: str) -> tuple[str, Unit]:
    if not profile:
        return _whole_card(pool), WHOLE_CARD
    slices = pool.mig_class.compute_slices if pool.mig_class else 7
    share = Fraction(int(profile[0]), slices)
    if pool.exposure is Exposure.DRA:
        return conventions.dra_resource(profile), Unit(part=profile, card_share=share)
    single = pool.sharing.strategy is MigStrategy.SINGLE
    unit = Unit(part=profile, card_share=share, hidden=single)
    return conventions.RESOURCE_GPU if single else resource_name(profile), unit


def _whole_card(pool: NodePool) -> str:
    """Return the resource of a whole card; where pods claim devices, a name of ours that Kueue alone counts."""
    return conventions.dra_resource("") if pool.exposure is Exposure.DRA else pool.card.resource


def node_labels(pool: NodePool) -> dict[str, str]:
    """Return the labels that every node of the pool carries and by which it can be selected, sorted by key.

    Pools selected by existing labels have exactly those; the others get gpuplan's own four labels from the
    NodeFeatureRule or the provisioner snippet.
    """
    if pool.selection.by is SelectedBy.LABELS:
        return dict(pool.selection.labels)
    return {
        conventions.LABEL_CARD: pool.card.name,
        conventions.LABEL_POOL: pool.name,
        conventions.LABEL_SHARING: pool.sharing.label,
        conventions.LABEL_TIER: pool.tier.name,
    }


def agent_labels(pool: NodePool) -> dict[str, str]:
    """Return the labels that the vendor's node agents read on the pool's nodes, sorted by key; none where others run them.

    The MIG manager cuts a node as `nvidia.com/mig.config` says. The `nvidia.com/gpu.deploy.*` labels, by which it pauses
    the other agents meanwhile, are its own: a second writer would start them again in the middle of a cut
    (mig-parted v0.14 to v0.15 pause from any value but `false`, also from none). AMD's device config manager partitions a
    node by the name of a profile, and MindCluster's agents know their nodes by two labels that people set.
    """
    if pool.stack == "external":
        return {}
    labels: dict[str, str] = {}
    if pool.card.vendor is Vendor.HUAWEI:
        labels[conventions.LABEL_ASCEND_ACCELERATOR] = f"huawei-{pool.card.resource.rpartition('/')[2]}"
        labels[conventions.LABEL_ASCEND_WORKER] = conventions.ASCEND_WORKER
    if pool.stack == "operator" and pool.sharing.mode is SharingMode.PARTITION:
        labels[conventions.LABEL_AMD_PARTITION] = partition_profile(pool)
    if pool.sharing.mode is SharingMode.MIG:
        labels[conventions.LABEL_MIG_CONFIG] = mig_config_name(pool.sharing)
    if pool.stack == "operator" and pool.sharing.shared:
        labels[conventions.LABEL_DEVICE_PLUGIN_CONFIG] = plugin_config_name(pool.sharing)
    if pool.sharing.mode is SharingMode.HAMI:
        labels[conventions.LABEL_HAMI] = conventions.HAMI_ON
        if pool.stack == "operator":
            labels[conventions.LABEL_DEPLOY_PLUGIN] = "false"
    return dict(sorted(labels.items()))


def partition_profile(pool: NodePool) -> str:
    """Return the name of a pool's partition profile, which fits nodes with its number of cards alone: `cpx-nps4-8`."""
    return f"{pool.sharing.config}-{pool.cards_per_node}".lower()


def tolerations(pools: Iterable[NodePool]) -> tuple[Toleration, ...]:
    """Return what must be tolerated to run on all of the pools: one toleration a taint, exact, sorted, without repeats."""
    taints = sorted({(t.key, t.value, t.effect) for pool in pools for t in pool.taints})
    return tuple(
        Toleration(key=key, operator="Equal" if value else "Exists", value=value, effect=effect)
        for key, value, effect in taints
    )


def agent_tolerations(pools: Iterable[NodePool]) -> tuple[Toleration, ...]:
    """Return what node agents tolerate on the pools, sorted: their taints, and that of nodes whose GPUs are not healthy.

    An agent that is repaired or updated there must come back, or nobody could see that the node is well again.
    """
    unhealthy = Toleration(
        key=conventions.TAINT_UNHEALTHY, operator="Exists", value="", effect=conventions.TAINT_UNHEALTHY_EFFECT
    )
    return tuple(sorted((*tolerations(pools), unhealthy), key=lambda one: (one.key, one.value, one.effect)))
