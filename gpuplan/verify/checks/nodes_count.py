"""Each pool has as many nodes as the spec counts."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.pools import NodePool
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict
from gpuplan.words import counted

DOC = CheckDoc(
    id="nodes/count",
    title="Each pool has as many nodes as the spec says",
    reads=("Node",),
    why="Quotas are made of the spec's count: with fewer nodes Kueue admits work that then waits for cards that are not there.",
)
ELASTIC = "karpenter"
"""Makes nodes when work asks for them, so that fewer than the spec's are no fault."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        yield verdict(
            DOC,
            f"pool {pool.name}",
            Words(
                at=scene.place((*pool.path, "nodes")),
                good=_good(pool, found),
                bad=f"{counted(len(found), 'node')}, where the spec has {pool.nodes}",
                fix="Look for nodes that did not join or lost their labels (`nodes/pool`), or write the number that is right.",
            ),
            wrong=[_said(found)] if _wrong(pool, len(found)) else [],
            right=[_said(found)],
        )


def _wrong(pool: NodePool, found: int) -> bool:
    if not pool.counted:
        return False
    return found > pool.nodes if pool.selection.provisioner == ELASTIC else found != pool.nodes


def _good(pool: NodePool, found: tuple[Node, ...]) -> str:
    if not pool.counted:
        return f"{counted(len(found), 'node')}; the spec counts none"
    more = f" of up to {pool.nodes}, which Karpenter makes when work asks for them" if len(found) < pool.nodes else ""
    return f"{counted(len(found), 'node')}{more}"


def _said(found: tuple[Node, ...]) -> str:
    return f"nodes: {', '.join(node.name for node in found) or 'none'}"
