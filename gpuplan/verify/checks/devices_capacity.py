"""Each node lists the resources that its pool produces, in the number that it should."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.pools import NodePool, allocatable
from gpuplan.quantity import Quantity
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="devices/capacity",
    title="Each node lists just what its pool produces",
    reads=("Node",),
    why="Flavors and quotas count on these names and numbers; work that asks for another name waits for ever.",
)
_CARDS = ("nvidia.com/gpu", "nvidia.com/mig-")
"""How the names begin under which NVIDIA's cards, their shares and their instances are offered."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        wanted = expected(pool)
        counted = [f"{name}: {amount or 'some'}" for name, amount in wanted.items()]
        words = Words(
            at=scene.place((*pool.path, "cardsPerNode")),
            good=f"{', '.join(counted) or 'no cards, since pods claim them'} on each",
            bad="some nodes list something else",
            fix="Restart the device plugin there, and the kubelet where a name stays that nobody offers any more; "
            "fewer cards than the node has: see its kernel log for a card that fell off the bus.",
        )
        if found:
            wrong = [line for node in found for line in _wrong(node, pool)]
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)


def expected(pool: NodePool) -> dict[str, int]:
    """Return what a node lists, by resource; 0 where the spec does not count its cards."""
    return {one.resource: one.per_node for one in allocatable(pool)}


def _wrong(node: Node, pool: NodePool) -> Iterator[str]:
    listed, wanted = node.amounts("capacity"), expected(pool)
    for name, amount in wanted.items():
        seen = listed.get(name)
        if seen is None or (not amount and not seen.nanos):
            yield f"{node.name}: {name} is not listed, expected {amount or 'some'}"
        elif amount and seen != Quantity.of(amount):
            yield f"{node.name}: capacity {name}={seen}, expected {amount}"
    for name, seen in listed.items():
        if name not in wanted and seen.nanos and name.startswith(_CARDS) and name not in pool.companions:
            yield f"{node.name}: capacity {name}={seen}, which this pool does not produce"
    for name, least in pool.companions.items():
        if listed.get(name, Quantity(0)) < least:
            yield f"{node.name}: capacity {name}={listed.get(name, Quantity(0))}, expected {least} (`companions`)"
