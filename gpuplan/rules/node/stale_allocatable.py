"""A node that lists cards which it no longer has.

After a change from whole cards to instances or shares the kubelet goes on listing the old resource, until the plugin
registers it as none or the kubelet restarts. Who adds the old to the new counts cards twice.

Source: NVIDIA k8s-device-plugin, resource names by MIG strategy. Report: NVIDIA/gpu-operator #637.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import RESOURCE_GPU, RESOURCE_GPU_SHARED
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import labelled
from gpuplan.inventory.cards.live import Standing, standing
from gpuplan.inventory.cards.mig_cuts import layouts_in_use
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="node/stale-allocatable",
    severity=Severity.WARNING,
    summary="A node lists cards that it no longer has",
    why="The old resource stays beside the new one: pods may be sent to a node that refuses them, and quotas count cards twice.",
    fix="Restart the kubelet of the node; count what the message says.",
    bad='labels: {nvidia.com/gpu.count: "2"}\nstatus: {allocatable: {nvidia.com/gpu: "2", nvidia.com/mig-3g.20gb: "4"}}',
    good='labels: {nvidia.com/gpu.count: "2"}\nstatus: {allocatable: {nvidia.com/gpu: "0", nvidia.com/mig-3g.20gb: "4"}}',
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each resource beyond what the physical cards can be, at its line."""
    layouts = layouts_in_use(inventory)
    for one in labelled(inventory):
        found = standing(one, inventory, layouts) if one.is_node else None
        if found is None:
            continue
        for name in found.stale:
            view = one.holder.root["status"]["allocatable"][name]
            yield DOC.found(f"Node `{one.name}`: {_words(found, name, view.scalar())}", at=view.key_span)


def _words(found: Standing, name: str, listed: str) -> str:
    left = found.offered[name]
    if name != RESOURCE_GPU:
        return f"{listed} x `{name}` are still listed, and its cards are not cut into so many"
    if found.offered.get(RESOURCE_GPU_SHARED):
        return f"all cards are shared as `{RESOURCE_GPU_SHARED}`, and {listed} whole ones are still listed"
    return f"{found.cards - left} of {found.cards} cards are cut, and {listed} whole ones are still listed instead of {left}"
