"""What a drill needs of an API server: to see nodes, pods and budgets, to change a node as it was seen, and to evict a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan.cluster.kube import Fault, Kube, Object, collection

NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"
BUDGETS = "/apis/policy/v1/poddisruptionbudgets"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeNode:
    """Merge a change into a node, or into its status, as it was seen: another version of it is refused."""

    node: str
    version: str
    change: Mapping[str, Any]
    status: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictPod:
    """Ask for the eviction of a pod, which gets the grace of its own template."""

    namespace: str
    pod: str


Write = ChangeNode | EvictPod


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Objects as they are: some nodes, the pods that matter, and budgets where they were asked for."""

    nodes: tuple[Object, ...]
    pods: tuple[Object, ...]
    budgets: tuple[Object, ...] = ()


def everything(kube: Kube) -> Look | Fault:
    """Look at all nodes, pods and disruption budgets."""
    found: list[tuple[Object, ...]] = []
    for path in (NODES, PODS, BUDGETS):
        some = kube.list(path)
        if isinstance(some, Fault):
            return some
        found.append(tuple(some))
    return Look(nodes=found[0], pods=found[1], budgets=found[2])


def nodes(kube: Kube) -> tuple[Object, ...] | Fault:
    """Return all nodes."""
    found = kube.list(NODES)
    return found if isinstance(found, Fault) else tuple(found)


def part(kube: Kube, names: Iterable[str], namespaces: Iterable[str]) -> Look | Fault:
    """Look at some nodes, the pods on them, and the pods of some namespaces. A node that is gone is left out."""
    seen: list[Object] = []
    pods: dict[str, Object] = {}
    for name in names:
        node = kube.get(f"{NODES}/{name}")
        if not isinstance(node, Fault):
            seen.append(node)
        elif not node.absent:
            return node
    asked = [(PODS, f"spec.nodeName={name}") for name in names]
    asked += [(collection("v1", "pods", namespace), "") for namespace in sorted(set(namespaces))]
    for path, fields in asked:
        some = kube.list(path, fields=fields)
        if isinstance(some, Fault):
            return some
        pods |= {one["metadata"]["uid"]: one for one in some}
    return Look(nodes=tuple(seen), pods=tuple(pods.values()))


def write(kube: Kube, step: Write) -> Object | Fault:
    """Do what a step says."""
    if isinstance(step, EvictPod):
        return kube.evict(step.namespace, step.pod)
    metadata = {**step.change.get("metadata", {}), "resourceVersion": step.version}
    path = f"{NODES}/{step.node}{'/status' if step.status else ''}"
    return kube.merge(path, {**step.change, "metadata": metadata})
