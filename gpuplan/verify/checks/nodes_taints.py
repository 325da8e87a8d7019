"""Each node of a pool has the pool's taints, and no other that keeps its work off."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.inventory.cards.tolerating import LIFECYCLE, Taint
from gpuplan.model.pools import NodePool
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/taints",
    title="Each node has the taints of its pool, and no others that last",
    reads=("Node",),
    why="Without its taint a pool fills with pods that need no card; under one that nobody tolerates not even agents start.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes. Taints that controllers set and take away again do not count."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        words = Words(
            at=scene.place((*pool.path, "taints")),
            good=f"all have {', '.join(map(str, _wanted(pool))) or 'none'}",
            bad="some lack a taint, or have one that the spec does not know",
            fix="Set or remove it where the nodes are made (`kubectl taint` for now), or write it in the pool's `taints`.",
        )
        if found:
            wrong = [line for node in found for line in _wrong(node, pool)]
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)


def _wanted(pool: NodePool) -> list[Taint]:
    return sorted(Taint(one.key, one.value, one.effect) for one in pool.taints)


def _wrong(node: Node, pool: NodePool) -> Iterator[str]:
    wanted = _wanted(pool)
    listed = [Taint(one["key"].scalar(), one["value"].scalar(), one["effect"].text()) for one in node.taints.items()]
    yield from (f"{node.name}: taint {taint} is absent" for taint in wanted if taint not in listed)
    lasting = (taint for taint in listed if not taint.key.startswith(LIFECYCLE))
    yield from (f"{node.name}: taint {taint} is not in the spec" for taint in lasting if taint not in wanted)
