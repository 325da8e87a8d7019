"""Steps that rollouts share: keep queues from admitting, wait until they are empty, and let them go on.

`stopPolicy` is left out of what gpuplan renders, so Argo CD leaves a person's Hold alone. Kueue's `Hold` admits nothing more
and evicts nobody; `HoldAndDrain` would evict.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from gpuplan import conventions
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster
from gpuplan.model.lifecycle import REPLACING
from gpuplan.model.pools import NodePool, SelectedBy, node_labels
from gpuplan.plan.parts import Step
from gpuplan.words import in_a_row


def queues_on(cluster: Cluster, flavors: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the ClusterQueues that may use one of the flavors, sorted."""
    names = set(flavors)
    return tuple(
        sorted(
            queue.name
            for cohort in cluster.cohorts
            if names & {flavor.name for flavor in cohort.flavors}
            for queue in cohort.queues
        )
    )


def flavors_of(cluster: Cluster, pools: Iterable[NodePool]) -> tuple[Flavor, ...]:
    """Return the flavors that some of the pools are behind."""
    names = {pool.name for pool in pools}
    return tuple(flavor for flavor in cluster.flavors if names & {pool.name for pool in flavor.pools})


def hold(queues: Sequence[str], why: str) -> Step:
    """Stop queues from admitting. What runs goes on."""
    return Step(
        title=f"Hold {listed(queues)}",
        commands=tuple(_patch(queue, "Hold") for queue in queues),
        why=why,
    )


def empty(queues: Sequence[str], flavors: Iterable[str]) -> Step:
    """Wait until nothing is admitted to some flavors."""
    names = [f"`{name}`" for name in flavors]
    return Step(
        title=f"Let what runs on {in_a_row(names)} end",
        commands=tuple(usage(queue) for queue in queues),
        until=f"no queue reserves anything of {in_a_row(names, 'or')}. Ask the owners of work that would take too long: "
        "an eviction is theirs to choose",
    )


def release(queues: Sequence[str]) -> Step:
    """Let queues admit again."""
    return Step(
        title=f"Let {listed(queues)} go on",
        commands=tuple(_patch(queue, "None") for queue in queues),
        until=f"{'its' if len(queues) == 1 else 'their'} `Active` condition is True",
    )


def merge(until: str, why: str = "") -> Step:
    """Merge the change itself."""
    return Step(title="Merge this change", merges=True, until=until, why=why)


def synced(cluster: str) -> str:
    """Say what to wait for after a commit."""
    return f"Argo CD shows Application `{conventions.application_name(cluster)}` as Synced and Healthy"


def cordon(pool: NodePool, nodes: int, why: str) -> Step:
    """Empty some nodes of a pool, one after another; the graces of the pods and the disruption budgets hold."""
    selector = nodes_of(pool)
    some = (
        "all nodes" if nodes >= pool.nodes else f"the {nodes} nodes that leave" if nodes > 1 else "the node that leaves"
    )
    return Step(
        title=f"Cordon and drain {some} of pool `{pool.name}`",
        commands=(
            f"kubectl get nodes -l {selector}",
            "kubectl cordon NODE",
            "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data --grace-period=-1",
        ),
        until="`kubectl get pods -A --field-selector spec.nodeName=NODE` lists only pods of DaemonSets",
        why=why,
    )


def emptied(cluster: Cluster, pools: Sequence[NodePool], why: str) -> Iterator[Step]:
    """Yield how the nodes of some pools become empty, and stay so, while queues go on with the nodes of others.

    Kueue gives nothing to nodes that are cordoned where a flavor has a Topology. Queues of other flavors are held.
    """
    queues = blind_queues(cluster, pools)
    if queues:
        yield hold(queues, "Their flavors have no Topology: Kueue would admit work that closed nodes cannot take.")
    yield from (_closed(pool) for pool in pools)
    for pool in pools:
        grace = cluster.longest_drain_seconds([pool])
        told = _handing_over(grace) if grace else ""
        yield cordon(pool, pool.nodes, f"{why}{told}")


def opened(queues: Sequence[str], pools: Sequence[NodePool]) -> Iterator[Step]:
    """Yield how the nodes of some pools take work again, and the queues that were held: the way back of `emptied`."""
    yield from (uncordon(pool) for pool in pools)
    if queues:
        yield release(queues)


def _handing_over(grace: int) -> str:
    return (
        f" Pods that hold state have up to {grace} s to hand over: take the next node when their successors are ready elsewhere. "
        "Where a budget lets no more go, they find no room: its owners give the service other nodes, or scale it down."
    )


def blind_queues(cluster: Cluster, pools: Iterable[NodePool]) -> tuple[str, ...]:
    """Return the queues that may give the pools work although their nodes are closed, sorted."""
    return queues_on(cluster, [flavor.name for flavor in flavors_of(cluster, pools) if not flavor.levels])


def _closed(pool: NodePool) -> Step:
    return Step(
        title=f"Close the nodes of pool `{pool.name}` to new work",
        commands=(f"kubectl cordon -l {nodes_of(pool)}", "kubectl get pods -A --field-selector spec.nodeName=NODE"),
        until="what would lose its work has ended, or its owners have agreed that it goes",
        why="What runs goes on. Ask those who have an end in sight rather than drain them.",
    )


def relabel(cluster: Cluster, old: NodePool, new: NodePool) -> tuple[Step, ...]:
    """Bring a pool's new labels to its nodes, where neither NFD does it nor those who have set the ones that it goes by."""
    if new.selection.by is not SelectedBy.PROVISIONER or node_labels(old) == node_labels(new):
        return ()
    snippet = f"rendered/provisioner/{cluster.name}/{new.name}.yaml"
    if new.selection.provisioner == REPLACING:
        until = "Karpenter has replaced all nodes of the pool"
        return (Step(title=f"Bring `{snippet}` of this change to Karpenter", until=until),)
    labels = shlex.join(f"{key}={value}" for key, value in node_labels(new).items())
    return (
        Step(
            title=f"Label the nodes of pool `{new.name}`, and bring `{snippet}` of this change to what makes them",
            commands=(f"kubectl label nodes -l {nodes_of(old)} --overwrite {labels}",),
            until="all nodes carry the new labels, and agents of the old ones have left",
            why="Agents and flavor go by labels that nothing else sets on nodes which are there.",
        ),
    )


def uncordon(pool: NodePool) -> Step:
    """Open the nodes of a pool again."""
    return Step(
        title=f"Open the nodes of pool `{pool.name}`",
        commands=(f"kubectl uncordon -l {nodes_of(pool)}",),
        until="they are Ready and list their cards as allocatable",
    )


def nodes_of(pool: NodePool) -> str:
    """Return the selector of a pool's nodes, quoted for a shell."""
    return shlex.quote(",".join(f"{key}={value}" for key, value in node_labels(pool).items()))


def usage(queue: str) -> str:
    """Return the command that shows what a queue has reserved."""
    return f"kubectl get clusterqueue {queue} -o jsonpath='{{.status.flavorsReservation}}'"


def listed(queues: Sequence[str]) -> str:
    """Return the names of some queues, the first few of many."""
    shown = ", ".join(f"`{queue}`" for queue in queues[:3])
    word = "queue" if len(queues) == 1 else "queues"
    return f"{word} {shown}" if len(queues) <= 3 else f"{len(queues)} queues ({shown}, …)"


def _patch(queue: str, policy: str) -> str:
    body = f'{{"spec":{{"stopPolicy":"{policy}"}}}}'
    return f"kubectl patch clusterqueue {queue} --type merge -p '{body}'"
