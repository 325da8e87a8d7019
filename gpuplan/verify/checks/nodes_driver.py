"""Each node of a pool runs the driver that the spec says."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions, versions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.pools import NodePool
from gpuplan.rules.branches import is_known
from gpuplan.verify.nodes import LABEL_DRIVER_UPGRADE, Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict
from gpuplan.versions import Version

DOC = CheckDoc(
    id="nodes/driver",
    title="Each node runs the driver branch of its pool, or the version that its operator is told",
    reads=("Node",),
    why="Another branch may not know the card, lack what MIG or CUDA needs, or be one that is not supported any more.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool with NVIDIA cards and nodes of which the spec states the driver."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        wanted = stated(scene, pool)
        if not found or wanted is None:
            continue
        words = Words(
            at=scene.place((*pool.path, "driver", "branch")),
            good=f"{', '.join(sorted({node.driver for node in found}))} within {wanted}",
            bad=f"some do not run {wanted}",
            fix=_fix(pool),
            unknown="Feature discovery does not say the driver",
            look="See `agents/ready`, and the log of gpu-feature-discovery on these nodes.",
        )
        yield verdict(
            DOC,
            f"pool {pool.name}",
            words,
            wrong=[_said(node, wanted) for node in found if node.driver and not _fits(node, wanted)],
            unseen=[f"{node.name}: no label tells its driver" for node in found if not node.driver],
        )


def stated(scene: Scene, pool: NodePool) -> Version | None:
    """Return the version that the operator is told to install, else the branch; None where the spec says neither."""
    if pool.card.vendor is not Vendor.NVIDIA or not is_known(scene.fleet, pool):
        return None
    for one in scene.wanted("NVIDIADriver"):
        if one["metadata"]["name"] == conventions.nvidia_driver_name(pool.name):
            return versions.parse(str(one["spec"]["version"]))
    return versions.parse(pool.driver.branch)


def _fits(node: Node, wanted: Version) -> bool:
    said = versions.parse(node.driver)
    return said is not None and said.within(wanted)


def _said(node: Node, wanted: Version) -> str:
    state = node.labels.get(LABEL_DRIVER_UPGRADE, "")
    under_way = f" (the operator's upgrade there: {state})" if state else ""
    return f"{node.name}: driver {node.driver}, expected {wanted}{under_way}"


def _fix(pool: NodePool) -> str:
    if pool.stack == "operator" and not pool.driver.preinstalled:
        return "See the operator's driver pods on these nodes, and the label nvidia.com/gpu-driver-upgrade-state."
    return "Install it by the nodes' image, one node at a time with a drain, or write the branch that they run."
