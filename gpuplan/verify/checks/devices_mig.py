"""Each node of a MIG pool is cut as the spec says, and the MIG manager has said that it succeeded."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.inventory.cards.live import LABEL_MIG_STATE
from gpuplan.model.pools import NodePool, agent_labels
from gpuplan.model.sharing import SharingMode
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="devices/mig",
    title="Each MIG node is cut as the spec says",
    reads=("Node",),
    why="A node whose cut failed half-way offers what is left of the old layout, or nothing, while quota counts the new one.",
)
SUCCESS = "success"


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each MIG pool that has nodes and whose cards a MIG manager cuts."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        wanted = agent_labels(pool).get(conventions.LABEL_MIG_CONFIG, "")
        if not found or not wanted or not _is_cut(pool):
            continue
        words = Words(
            at=scene.place((*pool.path, "sharing")),
            good=f"all are cut as {wanted}",
            bad="some are not, or not yet",
            fix="See the log of nvidia-mig-manager on the node: a cut fails while something holds a card. Drain the node, then "
            f"set {conventions.LABEL_MIG_CONFIG} anew.",
            unknown="The MIG manager has not said how it went",
            look="See `agents/ready`: does nvidia-mig-manager run on these nodes?",
        )
        yield verdict(
            DOC,
            f"pool {pool.name}",
            words,
            wrong=[line for node in found for line in _wrong(node, wanted)],
            unseen=[
                f"{node.name}: has no label {LABEL_MIG_STATE}" for node in found if LABEL_MIG_STATE not in node.labels
            ],
        )


def _is_cut(pool: NodePool) -> bool:
    return pool.card.vendor is Vendor.NVIDIA and pool.sharing.mode is SharingMode.MIG


def _wrong(node: Node, wanted: str) -> Iterator[str]:
    config = node.labels.get(conventions.LABEL_MIG_CONFIG, "(absent)")
    state = node.labels.get(LABEL_MIG_STATE, SUCCESS)
    if config != wanted:
        yield f"{node.name}: {conventions.LABEL_MIG_CONFIG}={config}, expected {wanted}"
    if state != SUCCESS:
        yield f"{node.name}: {LABEL_MIG_STATE}={state}, expected {SUCCESS}"
