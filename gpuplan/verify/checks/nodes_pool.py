"""Each node with cards is in just one pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.model.labels import lasting_labels
from gpuplan.verify.nodes import Node, nodes
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/pool",
    title="Each node with cards is in one pool, and in no two",
    reads=("Node",),
    why="Cards of a node in no pool are in no quota; one in two pools gets the agents, drivers and quotas of both.",
)
_OURS = (conventions.LABEL_POOL, conventions.LABEL_TIER, conventions.LABEL_CARD, conventions.LABEL_SHARING)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield one verdict on all nodes of the cluster."""
    wanted = {pool.name: lasting_labels(scene.cluster, pool) for pool in scene.cluster.pools}
    adopted = _adopted(scene)
    cards = {pool.card.resource for pool in scene.cluster.pools}
    wrong = [line for node in nodes(scene) for line in _wrong(node, wanted, adopted, cards)]
    words = Words(
        at=scene.place(("nodePools",)),
        good="each has one pool",
        bad="some are in no pool, or in two",
        fix="Set the labels of the pool that the node belongs to (`gpuplan label-nodes`, or whoever makes the nodes), or add "
        "its pool to the spec.",
    )
    yield verdict(DOC, "nodes with cards", words, wrong=wrong)


def _wrong(
    node: Node, wanted: Mapping[str, Mapping[str, str]], adopted: list[Mapping[str, str]], cards: set[str]
) -> Iterator[str]:
    its = [name for name, labels in wanted.items() if labels.items() <= node.labels.items()]
    if len(its) > 1:
        yield f"{node.name}: in the pools {', '.join(its)} at once, by its labels"
    if its or any(labels.items() <= node.labels.items() for labels in adopted):
        return
    ours = [f"{key}={node.labels[key]}" for key in _OURS if key in node.labels]
    offered = [
        f"{name}: {amount}" for name, amount in node.amounts("capacity").items() if _card(name, cards) and amount.nanos
    ]
    if ours or offered:
        yield f"{node.name}: in no pool of the spec, but has {', '.join([*ours, *offered])}"


def _card(resource: str, cards: set[str]) -> bool:
    return resource in cards or resource.startswith(("nvidia.com/gpu", "nvidia.com/mig-"))


def _adopted(scene: Scene) -> list[Mapping[str, str]]:
    """Return the labels by which flavors that stay as they were select nodes."""
    flavors = scene.cluster.adopted.of("ResourceFlavor")
    return [labels for one in flavors if (labels := one.spec.get("nodeLabels"))]
