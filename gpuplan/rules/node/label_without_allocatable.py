"""A node that is labelled with a card and offers none.

The label says what is plugged in, or what somebody believes to be; what pods can have is what the device plugin registers. Who
counts cards by the label counts some that do not exist.

Source: Kubernetes, device plugins (allocatable is what a plugin has registered). Report: skypilot-org/skypilot #3318.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import MIG_INVALID, Labelled, labelled
from gpuplan.inventory.cards.profiles_in_use import VENDORS
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="node/label-without-allocatable",
    severity=Severity.WARNING,
    summary="A node is labelled with a card and offers none",
    why="The device plugin is missing there, or has found no healthy card: no pod gets a card of this node.",
    fix="See that the device plugin runs on the node; until then do not count its cards.",
    bad='labels: {nvidia.com/gpu.product: NVIDIA-A30}\nstatus: {allocatable: {cpu: "96"}}',
    good='labels: {nvidia.com/gpu.product: NVIDIA-A30}\nstatus: {allocatable: {cpu: "96", nvidia.com/gpu: "2"}}',
)
CARD_LABELS = {
    LABEL_PRODUCT: "nvidia.com/",
    "nvidia.com/gpu.count": "nvidia.com/",
    "nvidia.com/gpu.present": "nvidia.com/",
    "cloud.google.com/gke-accelerator": "nvidia.com/",
    "k8s.amazonaws.com/accelerator": "nvidia.com/",
    "skypilot.co/accelerator": "",
    "amd.com/gpu.product-name": "amd.com/",
}
"""Label that tells a card -> how the names of its resources begin; empty for any vendor's."""
SWITCHED_OFF = ("nvidia.com/gpu.deploy.operands", "nvidia.com/gpu.deploy.device-plugin")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each node that tells what it offers, at its name; silent where pods claim devices instead."""
    if any(True for _ in inventory.of("ResourceSlice")):
        return
    for one in labelled(inventory):
        label = _label(one)
        if (
            one.is_node
            and label
            and one.holder.root["status"]["allocatable"].value
            and not _offers(one, CARD_LABELS[label])
        ):
            summary = f"Node `{one.name}` is labelled `{label}: {one.label(label)}` and offers no card"
            yield DOC.found(summary, at=one.holder.at_name)


def _label(one: Labelled) -> str:
    """Return the label that tells of a card; none where there is no card to be offered, or others are to offer it."""
    if any(one.label(key) == "false" for key in SWITCHED_OFF) or one.label(LABEL_PRODUCT).endswith(MIG_INVALID):
        return ""
    return next((key for key in CARD_LABELS if one.label(key) not in ("", "0", "false")), "")


def _offers(one: Labelled, vendor: str) -> bool:
    for name, view in one.holder.root["status"]["allocatable"].entries():
        amount = view.quantity()
        device = name.startswith(vendor) if vendor else name.startswith(VENDORS)
        if device and (amount is None or amount.nanos > 0):
            return True
    return False
