"""Each node of a pool is ready for work."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/ready",
    title="Each node is ready, open to pods and without the taint of unhealthy GPUs",
    reads=("Node",),
    why="Kueue counts the cards of a node that is closed or not ready, and admits work that cannot start there.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        words = Words(
            at=scene.place(pool.path),
            good="all are ready",
            bad="some take no work",
            fix="`kubectl describe node NODE` says why; after maintenance, `kubectl uncordon NODE`.",
        )
        if found:
            wrong = [line for node in found for line in _wrong(node)]
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)


def _wrong(node: Node) -> Iterator[str]:
    if node.unready:
        yield f"{node.name}: {node.unready}"
    if node.cordoned:
        yield f"{node.name}: cordoned (spec.unschedulable)"
    if any(taint["key"].text() == conventions.TAINT_UNHEALTHY for taint in node.taints.items()):
        yield f"{node.name}: tainted {conventions.TAINT_UNHEALTHY}, its GPUs are not healthy"
