"""Which labels a pool's nodes need, for selectors, for agents and against others' agents, and which of them last."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import (
    NodePool,
    SelectedBy,
    agent_labels,
    node_labels,
)

CHANGE_WITH_SHARING = (
    conventions.LABEL_AMD_PARTITION,
    conventions.LABEL_DEPLOY_PLUGIN,
    conventions.LABEL_DEVICE_PLUGIN_CONFIG,
    conventions.LABEL_HAMI,
    conventions.LABEL_MIG_CONFIG,
    conventions.LABEL_SHARING,
)
"""Labels whose values follow from how a pool's cards are shared or cut."""


def all_labels(cluster: Cluster, pool: NodePool) -> dict[str, str]:
    """Return all labels that a node of the pool needs, sorted by key.

    Where others run the agents, those that the agents read are theirs to set. Where the GPU Operator serves other pools
    of the cluster, or is to, its agents are kept off the NVIDIA nodes that are not its own.
    """
    foreign = pool.card.vendor is Vendor.NVIDIA and pool.stack != "operator"
    kept_off = foreign and cluster.keeps_operator_off
    away = {conventions.LABEL_OPERANDS: "false"} if kept_off else {}
    return dict(sorted({**node_labels(pool), **agent_labels(pool), **away}.items()))


def labelled_by_others(pool: NodePool) -> bool:
    """Tell whether the label that keeps the GPU Operator off a pool's nodes is for somebody else to set, who is not said to.

    gpuplan has NFD or a provisioner set it. On nodes that are selected by existing labels it does not, and only where that
    one is listed among them does the pool itself say that somebody else has.
    """
    foreign = pool.card.vendor is Vendor.NVIDIA and pool.stack != "operator"
    unlisted = (conventions.LABEL_OPERANDS, "false") not in pool.selection.labels
    return foreign and pool.selection.by is SelectedBy.LABELS and unlisted


def lasting_labels(cluster: Cluster, pool: NodePool) -> dict[str, str]:
    """Return the labels that tell the pool's nodes from all others, and that a change of sharing leaves as they are.

    What a driver is chosen by: a node that loses one of these labels loses its driver, with all that runs on its cards. Where
    only what agents read tells two pools apart, they are all that there is.
    """
    if pool.selection.by is not SelectedBy.LABELS:
        return {conventions.LABEL_POOL: pool.name}
    whole = node_labels(pool)
    lasting = {key: value for key, value in whole.items() if key not in CHANGE_WITH_SHARING}
    others = (node_labels(other) for other in cluster.pools if other.name != pool.name)
    ambiguous = not lasting or any(lasting.items() <= other.items() for other in others)
    return whole if ambiguous else lasting
