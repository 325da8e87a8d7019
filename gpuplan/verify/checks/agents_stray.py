"""No agent of ours runs on a node that is not of its pool."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.agents import AGENTS
from gpuplan.verify.agents import Expected, Pod, expected, pods
from gpuplan.verify.nodes import members, nodes
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="agents/stray",
    title="No agent runs on a node that is not of its pool",
    reads=("Node", "Pod"),
    why="A pool's agent on another pool's node offers its cards otherwise, or cuts them, against the agent that belongs there.",
)
_OURS = frozenset(agent.name for agent in AGENTS)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield one verdict on all agents of the cluster."""
    known = tuple(expected(scene))
    homes = {pool.name: {node.name for node in members(scene, pool)} for pool in scene.cluster.pools}
    there = {node.name for node in nodes(scene)}  # pods of a node that is gone are cleared away in a while
    here = [pod for pod in pods(scene) if pod.node in there]
    running = [(pod, its) for pod in here if (its := _kinds(pod, known)) or _is_ours(pod)]
    wrong = [
        f"{pod.node}: {pod.name}, {_belongs(its)}"
        for pod, its in running
        if not any(pod.node in homes[one.pool.name] for one in its)
    ]
    words = Words(
        at=scene.place(scene.cluster.path),
        good="each is on a node of its pool",
        bad="some agents run where they should not",
        fix="Look at the nodeSelector of its DaemonSet and the labels of the node; delete a DaemonSet of a pool that is gone.",
    )
    yield verdict(DOC, "node agents", words, wrong=wrong)


def _kinds(pod: Pod, known: tuple[Expected, ...]) -> list[Expected]:
    return [one for one in known if pod.matches(one.namespace, one.labels)]


def _is_ours(pod: Pod) -> bool:
    """Tell whether a pod is an agent as we render them, also of a pool that the spec has no more."""
    labels = {conventions.LABEL_APP_NAME: pod.labels.get(conventions.LABEL_APP_NAME, "")}
    named = labels[conventions.LABEL_APP_NAME] in _OURS and conventions.LABEL_POOL in pod.labels
    return named and pod.matches(conventions.SYSTEM_NAMESPACE, labels)


def _belongs(its: list[Expected]) -> str:
    names = ", ".join(dict.fromkeys(one.pool.name for one in its))
    return f"which belongs to {names}" if names else "of a pool that the spec does not have"
