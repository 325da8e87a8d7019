"""Clusters of paper: what would be seen of one that is just as its spec says, and ways to change that."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from gpuplan.emit.emitters import emit
from gpuplan.model.pools import NodePool
from gpuplan.verify.agents import expected
from gpuplan.verify.checks.devices_discovered import discovered
from gpuplan.verify.checks.nodes_driver import stated
from gpuplan.verify.observed import Object, Observed
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Outcome, Verdict
from tests import build
from tests.controlplane.agents import node, node_status
from tests.controlplane.behaviour.stage import nodes
from tests.controlplane.verifying.nodes import said_by_kubelet

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{main: {{kubernetes: "1.36", {cluster}}}}}
cardTiers:
  big: {{cards: [h100-sxm-80gb]}}
  small: {{cards: [l40s]}}
  old: {{cards: [a100-sxm-40gb]}}
  instinct: {{cards: [mi300x]}}
defaults: {{nodePool: {{cluster: main, tier: big, nodes: 2, cardsPerNode: 8, selectedBy: {{nfd: {{}}}}}}}}
nodePools: {{{pools}}}
"""
DRIVER = "nvidia.com/cuda.driver-version.full"
Made = dict[str, Any]
Change = Callable[[Made], object]


def scene(pools: str, cluster: str = "stack: manual") -> Scene:
    """Return a cluster as a spec wants it, and seen just so: nodes, agents, RuntimeClass."""
    fleet = build.fleet(HEAD.format(cluster=cluster, pools=pools))
    (made,) = fleet.clusters
    manifests = tuple(one for one in emit(fleet, lambda *_: None) if one.cluster == made.name)
    nothing = Observed(kubernetes="v1.36.2", objects={}, refused={}, tried={})
    wanted = Scene(fleet=fleet, cluster=made, manifests=manifests, observed=nothing)
    objects: dict[str, tuple[Object, ...]] = {
        "Node": tuple(_nodes(wanted)),
        "Pod": tuple(_pods(wanted)),
        "DaemonSet": wanted.wanted("DaemonSet"),
        "RuntimeClass": wanted.wanted("RuntimeClass") or ({"metadata": {"name": "nvidia"}, "handler": "nvidia"},),
    }
    return replace(wanted, observed=replace(nothing, objects=objects))


def _nodes(wanted: Scene) -> Iterable[Object]:
    pools = {pool.name: pool for pool in wanted.cluster.pools}
    for one in nodes(wanted.cluster, 1000):
        pool = pools[one["name"].rpartition("-")[0]]
        labels = {**one["labels"], **discovered(pool), DRIVER: _driver(wanted, pool)}
        if "nvidia.com/mig.config" in labels:
            labels["nvidia.com/mig.config.state"] = "success"
        made = node(one["name"], labels=labels, taints=one["taints"])
        info = {
            **said_by_kubelet()["nodeInfo"],
            "containerRuntimeVersion": f"{wanted.cluster.container_runtime}://2.0.0",
        }
        offered = (node_status(one["capacity"])["status"]["capacity"] for _ in range(2))
        amounts = dict(zip(("capacity", "allocatable"), offered, strict=True))
        yield {**made, "status": {**node_status({})["status"], **amounts, "nodeInfo": info}}


def _driver(wanted: Scene, pool: NodePool) -> str:
    told = stated(wanted, pool)
    return told.text if told and len(told.release) > 1 else f"{pool.driver.branch}.90.12"


def _pods(wanted: Scene) -> Iterable[Object]:
    for one in expected(wanted):
        for number in range(one.pool.nodes):
            where = f"{one.pool.name}-{number}"
            yield pod(one.namespace, f"{one.name}-{where}", where, one.labels, sorted(one.images))


def pod(namespace: str, name: str, where: str, labels: Mapping[str, str], images: Iterable[str]) -> Made:
    """Return a ready pod on a node."""
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels)},
        "spec": {"nodeName": where, "containers": [{"name": "main", "image": image} for image in images]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def changed(wanted: Scene, kind: str, name: str, change: Change) -> Scene:
    """Return the scene with one object changed."""
    objects = copy.deepcopy({key: list(some) for key, some in wanted.observed.objects.items()})
    (found,) = (one for one in objects[kind] if one["metadata"]["name"] == name)
    change(found)  # type: ignore[arg-type] # a copy, which may be changed
    return seen(wanted, {key: tuple(some) for key, some in objects.items()})


def seen(wanted: Scene, objects: Mapping[str, tuple[Object, ...]]) -> Scene:
    """Return the scene with other objects."""
    return replace(wanted, observed=replace(wanted.observed, objects=objects))


def judged(check: Any, wanted: Scene) -> list[Verdict]:
    """Return what a check's module says, blindness included."""
    doc: CheckDoc = check.DOC
    blind = wanted.blind(doc)
    return [blind] if blind else list(check.check(wanted))


def outcomes(check: Any, wanted: Scene) -> dict[str, Outcome]:
    """Return the outcomes of a check by subject."""
    return {one.subject: one.outcome for one in judged(check, wanted)}


def lines(check: Any, wanted: Scene) -> list[str]:
    """Return all evidence of what does not pass."""
    found = judged(check, wanted)
    return [line for one in found if one.outcome is not Outcome.PASS for line in one.evidence]
