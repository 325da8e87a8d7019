"""Work that asks for cards which no node here offers.

A node offers what its device plugin tells the kubelet: whole cards, MIG instances by their profile under strategy mixed, or
shares. A name that none offers leaves the pod Pending with `Insufficient`, however many cards are idle under another one. Looked
at are pods without a queue, where all nodes are listed with what they have and no configuration is about to change that.

Source: Kubernetes, extended resources; NVIDIA/k8s-device-plugin, MIG strategies.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.scheduling.workloads import workloads
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="node/resource-not-offered",
    severity=Severity.ERROR,
    summary="Work asks for cards that no node offers",
    why="The scheduler says `Insufficient`, and the pod stays Pending while cards under another name are idle.",
    fix="Ask for a resource that the nodes offer, or have their cards cut or shared as the work needs them.",
    bad="kind: Pod\nspec: {containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]}   # and nodes with\n"
    "allocatable: {nvidia.com/gpu: '0', nvidia.com/mig-1g.10gb: '56'}",
    good="kind: Pod\nspec: {containers: [{resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}]}",
)
_CHANGING = (Format.PLUGIN, Format.PLUGIN_VALUES, Format.MIG_PARTED, Format.OPERATOR_VALUES)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for the first such resource of each workload."""
    offered = _offered(inventory)
    for work in workloads(inventory) if offered else ():
        asked = {
            name: request
            for pods in work.pod_sets
            for name, request in pods.requests.items()
            if name in inventory.catalog.accelerators and name not in offered
        }
        for name, request in list(asked.items())[:1] if not work.queue.scalar() else ():
            shown = in_a_row([f"`{one}`" for one in sorted(offered)])
            yield DOC.found(f"{work} asks for `{name}`, and the nodes here offer {shown}", at=request.view.key_span)


def _offered(inventory: Inventory) -> frozenset[str]:
    """Return the cards and pieces that nodes offer; nothing where not all is known, or something is to change it."""
    there = nodes(inventory)
    changing = next(iter(inventory.configs_of(*_CHANGING)), None) is not None or any(inventory.of("ResourceSlice"))
    if inventory.assumed.partial or changing or not all(one.source.is_node and one.offers for one in there):
        return frozenset()
    amounts = (offer for one in there for offer in one.offers.items())
    return frozenset(name for name, amount in amounts if amount.nanos and name in inventory.catalog.accelerators)
