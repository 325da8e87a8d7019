"""A pod that asks for several shares of a shared card.

Two shares are two turns, on one card perhaps: a pod that expects two cards gets one, and no more time on it. Where the plugin is
told to refuse such requests (as it does with MPS by itself), the pod fails at its start.

Source: NVIDIA k8s-device-plugin, README on shared access to GPUs. Reports: NVIDIA/k8s-device-plugin #461, #491, #929.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import SHARED, Profile, Section, profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.asked import by_containers
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/multi-share-request",
    severity=Severity.WARNING,
    summary="A pod that asks for several shares",
    why="Several shares may all lie on one card, and give no more time on it than one.",
    fix="Ask for one share, or for whole cards on nodes that do not share theirs.",
    bad="resources:\n  limits: {nvidia.com/gpu.shared: 2}",
    good="resources:\n  limits: {nvidia.com/gpu.shared: 1}",
)
ONE = Quantity.of(1)
REFUSED = "The plugin refuses it (failRequestsGreaterThanOne), and the pod fails with UnexpectedAdmissionError."


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each container that asks for several of what is shared on every node that offers it."""
    found = profiles(inventory)
    for one in by_containers(inventory):
        sections = _sharing(found, one.resource) if one.amount > ONE else None
        if sections is None:
            continue
        summary = f"{one.who} asks for {one.amount} shares of `{one.resource}`, which may all lie on one card"
        if sections and all(section.refuses_several for section in sections):
            summary = f"{one.who} asks for {one.amount} shares of `{one.resource}`, which the device plugin refuses"
            yield DOC.found(summary, at=one.at, detail=REFUSED, severity=Severity.ERROR)
        else:
            yield DOC.found(summary, at=one.at)


def _sharing(found: tuple[Profile, ...], resource: str) -> list[Section] | None:
    """Return the sections that offer a resource as shares; None where there may be nodes that offer it whole."""
    sharing = [
        section
        for profile in found
        if (section := profile.sharing) and any(section.offered(one) == resource for one in section.resources)
    ]
    sure = resource.endswith(SHARED) or (found and len(sharing) == len(found))
    return sharing if sure else None
