"""All nodes of a pool run the same version of the driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict
from gpuplan.words import counted

DOC = CheckDoc(
    id="nodes/driver-alike",
    title="All nodes of a pool run one version of the driver",
    reads=("Node",),
    why="Jobs over several nodes fail or crawl on the odd one out, and a fault that comes and goes with the node is hard to see.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool with NVIDIA cards that has nodes. The odd ones are those that differ from most."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        if not found or pool.card.vendor is not Vendor.NVIDIA:
            continue
        seen = Counter(node.driver for node in found if node.driver)
        usual = max(seen, key=lambda one: (seen[one], one), default="")
        words = Words(
            at=scene.place((*pool.path, "driver")),
            good=f"{usual} on {counted(len(found), 'node')}",
            bad=f"{counted(len(seen), 'version')} in one pool: {', '.join(sorted(seen))}",
            fix="Finish the rollout that stopped half-way: bring the odd nodes to the version of the others, one at a time.",
            unknown="Feature discovery does not say the driver of every node",
            look="See `agents/ready`, and the log of gpu-feature-discovery on these nodes.",
        )
        yield verdict(
            DOC,
            f"pool {pool.name}",
            words,
            wrong=[
                f"{node.name}: driver {node.driver}, most run {usual}"
                for node in found
                if node.driver and node.driver != usual
            ],
            unseen=[f"{node.name}: no label tells its driver" for node in found if not node.driver],
        )
