"""All labels that a node of a pool needs: those that select it, those that its agents read, and what keeps others' agents off."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, agent_labels, node_labels


def all_labels(cluster: Cluster, pool: NodePool) -> dict[str, str]:
    """Return all labels that a node of the pool needs, sorted by key.

    Where others run the agents, those that the agents read are theirs to set. Where the GPU Operator serves other pools
    of the cluster, its agents are kept off the NVIDIA nodes that are not its own.
    """
    foreign = pool.card.vendor is Vendor.NVIDIA and pool.stack != "operator"
    kept_off = foreign and cluster.pools_on("operator", Vendor.NVIDIA)
    away = {conventions.LABEL_OPERANDS: "false"} if kept_off else {}
    return dict(sorted({**node_labels(pool), **agent_labels(pool), **away}.items()))
