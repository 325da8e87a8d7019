"""Each node runs the container runtime of the spec."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/runtime",
    title="Each node runs the spec's container runtime",
    reads=("Node",),
    why="The nvidia runtime is set up for one container runtime; under another no pod sees a card.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes."""
    wanted = scene.cluster.container_runtime
    for pool in scene.cluster.pools:
        seen = [(node.name, node.runs("containerRuntimeVersion")) for node in members(scene, pool)]
        words = Words(
            at=scene.place((*scene.cluster.path, "containerRuntime")),
            good=", ".join(sorted({said for _, said in seen})),
            bad=f"some do not run {wanted}",
            fix=f"Set the node up anew with {wanted}, or write the cluster's `containerRuntime`.",
        )
        if seen:
            yield verdict(
                DOC,
                f"pool {pool.name}",
                words,
                wrong=[f"{name}: {said}, expected {wanted}" for name, said in seen if said and not _is(said, wanted)],
                unseen=[f"{name}: does not say its runtime" for name, said in seen if not said],
            )


def _is(said: str, wanted: str) -> bool:
    return said.partition("://")[0] == wanted
