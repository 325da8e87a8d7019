"""A resource in a container's limits or requests that no server knows by this name.

Without a prefix there are cpu, memory, ephemeral-storage and huge pages; every device has the prefix of its vendor.

Source: Kubernetes, validation of container resources.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.suggest import nearest
from gpuplan.validate.formats import label_key

DOC = RuleDoc(
    id="manifest/resource-name",
    severity=Severity.ERROR,
    summary="A resource that no server knows by this name",
    why="The API server refuses the pods: must be a standard resource type or fully qualified.",
    fix="Write cpu, memory, ephemeral-storage, or the whole name of a device such as `nvidia.com/gpu`.",
    bad="resources: {limits: {gpu: 1}}\n",
    good="resources: {limits: {nvidia.com/gpu: 1}}\n",
)

STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
SHORT = ("gpu", "gpus", "cards", "nvidia")
CARD = "nvidia.com/gpu"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such name."""
    for work, pods in written.pods(inventory):
        amounts = [one["resources"][part] for one in pods.containers for part in ("limits", "requests")]
        for name, amount in (pair for one in amounts for pair in one.entries()):
            if wrong := _fault(name):
                yield DOC.found(f"{work} asks for `{name}`, which {wrong}", at=amount.key_span, fix=_fix(name))


def _fault(name: str) -> str:
    if "/" in name:
        return label_key(name)
    return "" if name in STANDARD or name.startswith(HUGE_PAGES) else "is no standard resource and has no prefix"


def _fix(name: str) -> str:
    guess = CARD if name.lower() in SHORT else nearest(name, STANDARD)
    return f"Did you mean {guess!r}?" if guess else DOC.fix
