"""No node has two device plugins for its cards, and none where something else offers them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.inventory.view import View
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.verify.agents import Pod, pods
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="agents/one-plugin",
    title="No node has two device plugins for its cards",
    reads=("Node", "Pod"),
    why="Both register one name with the kubelet; the later one wins until the other restarts, and a card is given away twice.",
)
_FOLDER = "device-plugins"
"""Name of the kubelet's folder in which plugins register; some distributions keep it elsewhere."""
_FOR_CARDS = re.compile(r"k8s-device-plugin|nvidia-gpu-device-plugin|nvidia-device-plugin|/hami[:@]")
"""NVIDIA's plugin, Google's for NVIDIA cards, and HAMi's, by image. Feature discovery has the same image, but no such folder."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool with NVIDIA cards that has nodes."""
    plugins = [pod for pod in pods(scene) if _is_plugin(pod.view["spec"])]
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        if pool.card.vendor is not Vendor.NVIDIA or not found:
            continue
        most = 0 if pool.exposure is Exposure.DRA else 1
        its = {node.name: [pod for pod in plugins if pod.node == node.name] for node in found}
        wrong = [f"{node}: {_names(here)}" for node, here in its.items() if len(here) > most]
        words = Words(
            at=scene.place(pool.path),
            good="one at most on each node" if most else "none: pods claim its cards",
            bad="some nodes have another device plugin",
            fix=_fix(pool),
        )
        yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)


def _fix(pool: NodePool) -> str:
    if pool.exposure is Exposure.DRA:
        return "Take the device plugin off these nodes: the DRA driver offers their cards."
    return f"Take one away; the pool's own is that of `stack: {pool.stack}`. Then restart the other on these nodes."


def _is_plugin(pod: View) -> bool:
    registers = any(_FOLDER in one["hostPath"]["path"].text().rstrip("/").split("/") for one in pod["volumes"].items())
    return registers and any(_FOR_CARDS.search(one["image"].text()) for one in pod["containers"].items())


def _names(here: list[Pod]) -> str:
    return ", ".join(pod.name for pod in here)
