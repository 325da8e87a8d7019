"""Each node can give out all the cards that it lists."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.pools import NodePool, allocatable
from gpuplan.quantity import Quantity
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="devices/healthy",
    title="No card is marked as unhealthy",
    reads=("Node",),
    why="The plugin takes a card out after a critical XID until it is restarted; quota goes on counting it.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes whose cards a plugin offers."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        if found and allocatable(pool):
            words = Words(
                at=scene.place(pool.path),
                good="all that is listed can be given out",
                bad="some cards are not healthy",
                fix="Find the XID in the node's kernel log (`dmesg | grep -i xid`); drain the node, reset or replace the card, "
                "then restart its device plugin.",
            )
            wrong = [line for node in found for line in _wrong(node, pool)]
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)


def _wrong(node: Node, pool: NodePool) -> Iterator[str]:
    listed, usable = node.amounts("capacity"), node.amounts("allocatable")
    for one in allocatable(pool):
        there, left = listed.get(one.resource, Quantity(0)), usable.get(one.resource, Quantity(0))
        if left < there:
            yield f"{node.name}: allocatable {one.resource}={left} of {there}, {there - left} unhealthy"
