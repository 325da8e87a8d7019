"""Each node of a pool has one ready pod of each agent that it should have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.emit.agents import PAUSED
from gpuplan.inventory.cards.tolerating import repelling, untolerated
from gpuplan.inventory.items import Item
from gpuplan.verify.agents import Expected, Pod, expected, pods
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict
from gpuplan.words import counted

DOC = CheckDoc(
    id="agents/ready",
    title="Device plugin, feature discovery, exporter and MIG manager run on each node that should have them",
    reads=("DaemonSet", "Node", "Pod"),
    why="Without its plugin a node offers no cards, without feature discovery no labels, without its exporter no metrics.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each agent of each pool that has nodes."""
    running = pods(scene)
    made = {(one["metadata"].get("namespace"), one["metadata"]["name"]) for one in scene.seen("DaemonSet")}
    for one in expected(scene):
        its = [pod for pod in running if pod.matches(one.namespace, one.labels)]
        found = members(scene, one.pool)
        gone = bool(one.daemon_set) and (one.namespace, one.daemon_set) not in made
        words = Words(
            at=scene.place(one.pool.path),
            good=f"ready on {counted(len(found), 'node')}",
            bad=f"DaemonSet {one.namespace}/{one.daemon_set} is not there" if gone else "not ready on every node",
            fix=_fix(one, gone=gone),
        )
        if found:
            wrong = [line for node in found for line in _wrong(scene, one, node, its)]
            yield verdict(DOC, f"{one.name} on pool {one.pool.name}", words, wrong=wrong)


def _fix(one: Expected, *, gone: bool) -> str:
    if gone:
        return "Sync the cluster's Argo CD Application: it is in rendered/, and not in the cluster."
    selector = ",".join(f"{key}={value}" for key, value in one.labels.items())
    return f"`kubectl -n {one.namespace} get pods -o wide -l {selector}`, then describe the pod that is named."


def _wrong(scene: Scene, one: Expected, node: Node, its: Sequence[Pod]) -> Iterator[str]:
    here = [pod for pod in its if pod.node == node.name]
    if not here:
        yield f"{node.name}: no pod of {one.name}{_why_not(scene, one, node)}"
    if len(here) > 1:
        yield f"{node.name}: {len(here)} pods of {one.name}: {', '.join(pod.name for pod in here)}"
    for pod in here:
        if pod.unready:
            yield f"{node.name}: {pod.name}: {pod.unready}"


def _why_not(scene: Scene, one: Expected, node: Node) -> str:
    """Return why an agent is kept off a node, as far as that can be told; empty where it cannot."""
    paused = node.labels.get(one.deploy, "") if one.deploy else ""
    if paused in PAUSED:
        return f", kept off by {one.deploy}={paused}"
    for made in scene.seen("DaemonSet"):
        if made["metadata"]["name"] == one.daemon_set and made["metadata"].get("namespace") == one.namespace:
            pod = Item.plain(dict(made)).root["spec"]["template"]["spec"]
            refused = untolerated(repelling(node.taints), pod["tolerations"])
            lacks = [key for key, value in pod["nodeSelector"].texts().items() if node.labels.get(key) != value]
            if refused:
                return f", which does not tolerate {', '.join(map(str, refused))}"
            if lacks:
                return f", which selects nodes by {', '.join(lacks)}, which this node lacks or has otherwise"
    return ""
