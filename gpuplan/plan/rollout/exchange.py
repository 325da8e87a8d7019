"""How the agents of a pool are exchanged so that each node has at most one owner of its cards and of its driver.

Between two stacks lies a third: `stack: external` without others means that nobody's agents are there. And the GPU Operator
serves every node that it is not kept off, so that nodes are labelled before it comes and until it is gone
(docs/stacks.md). `plan` lays out any change by these parts, `gpuplan migrate-stack` the way of one pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import labelled_by_others
from gpuplan.model.pools import NodePool, Stack, allocatable
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.parts import ABSENT, Edit, Step
from gpuplan.plan.rollout.holding import nodes_of, synced

Standby = Literal["", "labels", "installed"]
"""Value of a cluster's `operatorStandby`; empty where it has none."""
NOBODY: Stack = "external"
"""The stack on which no agents of ours or of the operator's are."""
WHY_EMPTY = "No work should hold cards of nodes whose agents, and perhaps driver, are exchanged."


def never_beside_an_operator(old: NodePool, new: NodePool) -> bool:
    """Tell whether a pool cannot be on another stack in a cluster where the GPU Operator is.

    The operator takes away the labels by which the MIG manager of a manual pool works, and serves all nodes that it is not
    kept off: where others label the nodes, nothing of ours keeps it off.
    """
    return old.sharing.mode is SharingMode.MIG or any(map(labelled_by_others, (old, new)))


def before_the_first(*, stuck: bool, others: bool) -> tuple[Standby, ...]:
    """Return how the operator's standby grows before the first pool goes to it.

    `stuck` tells whether the pool cannot be beside an operator, `others` whether there are nodes to keep it off.
    """
    if stuck:
        return ("labels",) if others else ()
    return ("labels", "installed")


def around_the_last(*, stuck: bool, others: bool) -> tuple[tuple[Standby, ...], tuple[Standby, ...]]:
    """Return the operator's standby before the last pool leaves it, and after that, but for its end."""
    if stuck:
        return (("labels",) if others else ()), ()
    return ("installed",), ("labels",)


def kept_off(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools whose nodes the operator is to leave alone."""
    return tuple(pool for pool in cluster.pools if pool.card.vendor is Vendor.NVIDIA and pool.stack != "operator")


_SERVED = {
    "installed": "Have the GPU Operator stay when its last pool leaves",
    "labels": "Keep other nodes labelled when the GPU Operator leaves",
    "": "End the GPU Operator's standby",
}
"""Titles by the standby that begins or ends while the operator has pools."""


def standby_edit(cluster: Cluster, value: Standby) -> Edit:
    """Return the edit that gives a cluster a standby, or takes it away."""
    return Edit(path=(*cluster.path, "operatorStandby"), value=value or ABSENT)


def standby_step(cluster: Cluster, was: Standby, value: Standby, *, served: bool) -> Step:
    """Return the commit that changes the operator's standby; `served` tells whether it has pools meanwhile."""
    edits = (standby_edit(cluster, value),)
    if served:
        return Step(
            title=_SERVED[value],
            edits=edits,
            until=f"`gpuplan plan` shows no object that changes in cluster `{cluster.name}`",
            why="It has pools now, so that this changes nothing yet."
            if value
            else "It has pools: standby says nothing more.",
        )
    if value == "installed":
        return _installed(cluster, edits)
    if value == "labels":
        return _removed(cluster, edits) if was == "installed" else _labelled(cluster, edits)
    return Step(
        title="Take the labels away that kept the GPU Operator off",
        edits=edits,
        commands=(f"kubectl get nodes -L {conventions.LABEL_OPERANDS}",),
        until=f"{synced(cluster.name)}, and no node carries `{conventions.LABEL_OPERANDS}`",
        why="Nothing of the operator is there any more.",
    )


def _labelled(cluster: Cluster, edits: tuple[Edit, ...]) -> Step:
    away = f"{conventions.LABEL_OPERANDS}=false"
    return Step(
        title="Keep the GPU Operator off all nodes",
        edits=edits,
        commands=tuple(
            f"kubectl get nodes -l {nodes_of(pool)} -L {conventions.LABEL_OPERANDS}" for pool in kept_off(cluster)
        ),
        until=f"{synced(cluster.name)}, and all nodes with NVIDIA cards carry `{away}`",
        why="The operator serves every node that does not say no, from the moment it starts.",
    )


def _installed(cluster: Cluster, edits: tuple[Edit, ...]) -> Step:
    namespace = cluster.gpu_operator.namespace
    who = f"Application `{conventions.gpu_operator_application_name(cluster.name)}` is Synced and Healthy"
    there = who if cluster.gpu_operator.managed else "whoever installs the operator has done so"
    return Step(
        title="Bring the GPU Operator, which serves no node yet",
        edits=edits,
        commands=(
            f"kubectl -n {namespace} get pods -o wide",
            f"kubectl get clusterpolicy {conventions.CLUSTER_POLICY}",
        ),
        until=f"{synced(cluster.name)}, {there}, and namespace `{namespace}` has no pod on a node with cards",
        why="Whether it works in this cluster is seen before any node depends on it. It also makes RuntimeClass "
        f"`{conventions.RUNTIME_CLASS}` its own: for moments a new pod that names it is refused, and is made again.",
    )


def _removed(cluster: Cluster, edits: tuple[Edit, ...]) -> Step:
    return Step(
        title="Take the GPU Operator away",
        edits=edits,
        commands=removal(cluster),
        until=f"{synced(cluster.name)}, and namespace `{cluster.gpu_operator.namespace}` has no pod, nor the cluster a "
        f"ClusterPolicy: without both, nothing serves nodes when their labels go",
        why="An Application that leaves takes nothing along, so a person deletes it with what it made.",
    )


def removal(cluster: Cluster) -> tuple[str, ...]:
    """Return the commands by which a person takes the operator out of a cluster."""
    namespace = cluster.gpu_operator.namespace
    look = (f"kubectl -n {namespace} get pods", "kubectl get clusterpolicy,nvidiadriver")
    if not cluster.gpu_operator.managed:
        return look
    return (f"argocd app delete {conventions.gpu_operator_application_name(cluster.name)} --cascade", *look)


def let_go(cluster: Cluster, pools: Sequence[NodePool], edits: tuple[Edit, ...]) -> Step:
    """Return the commit after which nobody owns the cards of the pools."""
    by_operator = any(pool.stack == "operator" for pool in pools)
    last = by_operator and {pool.name for pool in cluster.operator_pools} <= {pool.name for pool in pools}
    leaves = last and not cluster.gpu_operator.standby
    namespace = cluster.gpu_operator.namespace if by_operator else conventions.SYSTEM_NAMESPACE
    return Step(
        title=f"Take the agents off the nodes of {listed_pools(pools)}",
        edits=edits,
        commands=(
            *(removal(cluster) if leaves else ()),
            f"kubectl -n {namespace} get pods -o wide --field-selector spec.nodeName=NODE",
        ),
        until=f"{synced(cluster.name)}, and no agent{' and no driver pod' if by_operator else ''} is left on the nodes of "
        f"{listed_pools(pools)}" + (": the operator is gone as a whole" if leaves else ""),
        why="Nobody owns these cards for a while, so that nobody owns them twice.",
    )


def takes_over(cluster: Cluster, pools: Sequence[NodePool], edits: tuple[Edit, ...], *, merges: bool = False) -> Step:
    """Return the commit after which the new stack, that the pools have, owns their cards."""
    by_operator = any(pool.stack == "operator" for pool in pools)
    namespace = cluster.gpu_operator.namespace if by_operator else conventions.SYSTEM_NAMESPACE
    look = f"kubectl -n {namespace} get pods -o wide --field-selector spec.nodeName=NODE"
    return Step(
        title="Merge this change" if merges else f"Give {listed_pools(pools)} to `stack: {pools[0].stack}`",
        edits=edits,
        merges=merges,
        commands=() if merges else (look, *(_offers(pool) for pool in pools)),
        until=f"{synced(cluster.name)}, no old agent is left on the nodes of {listed_pools(pools)}, and the new ones are ready "
        f"on all of them, each with {' and '.join(dict.fromkeys(map(_offered, pools)))} as allocatable",
        why="" if merges else "The nodes are empty and nobody's, so that the new agents are the only ones.",
    )


def _offers(pool: NodePool) -> str:
    """Return the command that shows what the nodes of a pool offer."""
    columns = [
        f"{made.resource.rpartition('/')[2].upper()}:.status.allocatable.{made.resource.replace('.', chr(92) + '.')}"
        for made in allocatable(pool)
    ]
    return f"kubectl get nodes -l {nodes_of(pool)} -o custom-columns='{','.join(['NAME:.metadata.name', *columns])}'"


def _offered(pool: NodePool) -> str:
    return " and ".join(f"{made.per_node or 'its'} `{made.resource}`" for made in allocatable(pool))


def driver_steps(old: NodePool, new: NodePool) -> tuple[Step, ...]:
    """Return what people do to the driver of a pool's nodes while nobody owns their cards; nothing where it stays."""
    had, has = (installs_driver(pool) for pool in (old, new))
    if had == has or "external" in (old.stack, new.stack):
        return ()
    loaded = "kubectl debug node/NODE -it --image=busybox:1.37 --profile=sysadmin -- chroot /host lsmod"
    if has:
        return (
            Step(
                title=f"Take the driver off the nodes of pool `{new.name}`",
                commands=(loaded,),
                until="no module `nvidia` is loaded on any of them, also after a reboot",
                why="The operator brings its own, and a node has one driver: two load over each other. To keep the one that the "
                "nodes have, write `driver: {preinstalled: true}` in the pool before you begin.",
            ),
        )
    return (
        Step(
            title=f"Put the driver, branch {new.driver.branch}, on the nodes of pool `{new.name}`",
            commands=(
                loaded,
                "kubectl debug node/NODE -it --image=busybox:1.37 --profile=sysadmin -- chroot /host nvidia-smi",
            ),
            until=f"`nvidia-smi` on each of them names a version {new.driver.branch}.…",
            why="The operator has taken its driver along, and `stack: manual` finds one on the nodes or no card at all.",
        ),
    )


def installs_driver(pool: NodePool) -> bool:
    """Tell whether the operator installs the driver of a pool."""
    return pool.stack == "operator" and not pool.driver.preinstalled


def listed_pools(pools: Sequence[NodePool]) -> str:
    """Return the names of pools in a row."""
    return " and ".join(f"`{pool.name}`" for pool in pools)
