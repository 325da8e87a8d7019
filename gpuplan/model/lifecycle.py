"""How the nodes of a MIG pool come to the pool's layout: the ordered steps, as data.

A change of layout destroys every instance on a card, and the MIG manager neither cordons nor drains. So the order is:
keep it off the nodes, let the new labels arrive, then empty, cut, check and open one node after another. The steps are the
same whatever the layout was before.

Facts: NVIDIA/mig-parted v0.14 to v0.15; NVIDIA MIG User Guide (A100 and A30 need a reset to change MIG mode, H100 and
later do not); NVIDIA/gpu-operator, whose controller leaves a deploy label that is there as it is. Reports:
NVIDIA/gpu-operator #316, NVIDIA/mig-parted #181, harvester/harvester #11636.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.catalog.geometry import place
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import (
    Exposure,
    NodePool,
    SelectedBy,
    Stack,
    agent_labels,
    node_labels,
    produced_resources,
)
from gpuplan.model.queues import Cohort, TaskKind
from gpuplan.model.sharing import SharingMode, mig_config_name
from gpuplan.model.steps import (
    AwaitAgents,
    AwaitCut,
    AwaitWork,
    Cordon,
    Drain,
    Find,
    HandOver,
    Hold,
    Labels,
    PrepareReset,
    Publish,
    Relabel,
    Release,
    Replace,
    Setter,
    Step,
    Uncordon,
    Verify,
)

HOLD_LABEL = f"{conventions.LABEL_DEPLOY}.mig-manager"
"""Set to `false`, it keeps the MIG manager off a node, on both stacks."""
STATE_LABEL = f"{conventions.LABEL_MIG_CONFIG}.state"
"""Where the MIG manager says how far it is: pending, rebooting, success or failed."""
CHANGING = (conventions.LABEL_MIG_CONFIG, conventions.LABEL_SHARING)
"""Labels whose values follow from the layout: nodes cannot be found by them during a change."""
MODE_WITHOUT_RESET = ("hopper", "blackwell")
"""Architectures whose cards switch MIG mode without a reset. For all others a reset, or a reboot, has to be possible."""
BLOCKING_MODULE = "nvidia_drm"
"""Kernel module that keeps a card from being reset."""
REPLACING = "karpenter"
"""The provisioner that replaces nodes whose labels change; the others change them in place."""
FOR_NEW_NODES = "kubelet"
"""The provisioner whose labels count for new nodes only."""

CUT_LIMIT_SECONDS = 900
"""The manager waits up to 5 minutes for the pods of the other agents, then cuts card by card."""
AGENT_LIMIT_SECONDS = 600
OFFER_LIMIT_SECONDS = 300
DRAIN_MARGIN_SECONDS = 300
"""On top of the longest grace: evictions that a disruption budget refuses are tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCut:
    """How cards of a node are cut: instances as (profile, first memory slice) in an order that works by hand.

    No instance means whole cards. The order is that of the slices, so 4g, which fits at one place only, comes before 3g.
    """

    indexes: tuple[int, ...]
    instances: tuple[tuple[str, int], ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """Instances by profile, in the same order; empty for whole cards."""
        return Counter(profile for profile, _ in self.instances)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigChange:
    """What brings a pool to its layout: steps once for the pool, then for one node after another."""

    cluster: str
    pool: str
    layout: str
    stack: Stack
    namespace: str
    """Where the agents run; empty where others run them."""
    nodes: int
    cuts: tuple[CardCut, ...]
    once: tuple[Step, ...]
    each: tuple[Step, ...]


def mig_changes(cluster: Cluster) -> Iterator[tuple[NodePool, MigChange]]:
    """Yield the change of each MIG pool of a cluster."""
    for pool in cluster.pools:
        if pool.sharing.mode is SharingMode.MIG:
            yield pool, _change(cluster, pool)


def _change(cluster: Cluster, pool: NodePool) -> MigChange:
    namespaces = {"manual": conventions.SYSTEM_NAMESPACE, "operator": cluster.gpu_operator.namespace}
    return MigChange(
        cluster=cluster.name,
        pool=pool.name,
        layout=mig_config_name(pool.sharing),
        stack=pool.stack,
        namespace=namespaces.get(pool.stack, ""),
        nodes=pool.nodes,
        cuts=tuple(card_cuts(pool)),
        once=tuple(_once(cluster, pool)),
        each=tuple(_each(cluster, pool)),
    )


def stable_labels(pool: NodePool) -> Labels:
    """Return the labels by which the pool's nodes are found before, during and after a change of layout, sorted."""
    if pool.selection.by is not SelectedBy.LABELS:
        return ((conventions.LABEL_POOL, pool.name),)
    stable = tuple(item for item in pool.selection.labels if item[0] not in CHANGING)
    return stable or pool.selection.labels


def setter(pool: NodePool) -> Setter:
    """Return who labels the pool's nodes for a new layout."""
    if pool.stack == "external":
        return Setter.OTHERS
    if pool.selection.by is SelectedBy.NFD:
        return Setter.NFD
    if pool.selection.by is SelectedBy.PROVISIONER and pool.selection.provisioner != FOR_NEW_NODES:
        return Setter.PROVISIONER
    return Setter.PERSON


def needs_reset(pool: NodePool) -> bool:
    """Tell whether a card of the pool has to be reset when its MIG mode changes; yes where nobody knows."""
    return pool.card.architecture not in MODE_WITHOUT_RESET


def _new_labels(pool: NodePool) -> Labels:
    """Return the labels that follow from the layout."""
    wanted = {**node_labels(pool), **agent_labels(pool)}
    return tuple((key, wanted[key]) for key in CHANGING if key in wanted)


def _once(cluster: Cluster, pool: NodePool) -> Iterator[Step]:
    yield Find(selector=stable_labels(pool), nodes=pool.nodes)
    if pool.stack != "external" and not _replaced(pool):
        yield Hold(label=HOLD_LABEL)
    who = setter(pool)
    yield Publish(
        application=conventions.application_name(cluster.name),
        setter=who,
        provisioner=pool.selection.provisioner,
        labels=_new_labels(pool) if who in (Setter.NFD, Setter.PROVISIONER) and not _replaced(pool) else (),
    )


def _each(cluster: Cluster, pool: NodePool) -> Iterator[Step]:
    cohorts = cluster.users_of([pool])
    grace = cluster.longest_drain_seconds([pool])
    yield Cordon()
    yield Drain(
        grace_seconds=grace,
        timeout_seconds=grace + DRAIN_MARGIN_SECONDS,
        bare_pods=any("pod" in cohort.task_pool.frameworks for cohort in cohorts),
    )
    yield from _cutting(pool)
    claimed = pool.exposure is Exposure.DRA
    yield Verify(offers=produced_resources(pool), claimed=claimed, limit_seconds=OFFER_LIMIT_SECONDS)
    yield Uncordon()
    serving = _serving(cohorts)
    if serving:
        yield AwaitWork(serving=serving, limit_seconds=AGENT_LIMIT_SECONDS)


def _cutting(pool: NodePool) -> Iterator[Step]:
    """Yield how an empty node gets its cards cut."""
    if pool.stack == "external":
        yield HandOver()
        return
    if _replaced(pool):
        yield Replace(provisioner=pool.selection.provisioner)
    else:
        if needs_reset(pool):
            yield PrepareReset(module=BLOCKING_MODULE)
        if setter(pool) is Setter.PERSON:
            yield Relabel(labels=_new_labels(pool))
        yield Release(label=HOLD_LABEL, state_label=STATE_LABEL)
    yield AwaitCut(state_label=STATE_LABEL, limit_seconds=CUT_LIMIT_SECONDS)
    yield AwaitAgents(limit_seconds=AGENT_LIMIT_SECONDS)


def _replaced(pool: NodePool) -> bool:
    return pool.selection.provisioner == REPLACING


def _serving(cohorts: tuple[Cohort, ...]) -> tuple[tuple[str, str], ...]:
    pairs = {
        (namespace, cohort.local_queue)
        for cohort in cohorts
        if cohort.task_pool.kind is TaskKind.ONLINE_INFERENCE
        for queue in cohort.queues
        for namespace in queue.team.namespaces
    }
    return tuple(sorted(pairs))


def card_cuts(pool: NodePool) -> Iterator[CardCut]:
    """Yield how the cards of a MIG node are cut, group by group; nothing for other pools."""
    for group in pool.sharing.groups:
        placed = place(pool.mig_class, dict(group.profiles)) if pool.mig_class else ()
        instances = tuple((one.profile, one.placement.start) for one in placed or ())
        yield CardCut(indexes=group.indexes, instances=instances)
