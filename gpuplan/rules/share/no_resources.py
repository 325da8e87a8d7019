"""A sharing section that names no resource.

The device plugin refuses it and crashes in a loop, whatever else the section says.

Source: NVIDIA k8s-device-plugin, `api/config/v1/replicas.go` ("no resources specified").
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/no-resources",
    severity=Severity.ERROR,
    summary="A sharing section that names no resource",
    why="The device plugin refuses it (no resources specified) and crashes in a loop: the nodes offer no GPU.",
    fix="Name what is shared: `resources: [{name: nvidia.com/gpu, replicas: 4}]`, or remove the section for whole cards.",
    bad="version: v1\nsharing:\n  timeSlicing: {renameByDefault: true}",
    good="version: v1\nsharing:\n  timeSlicing:\n    renameByDefault: true\n    resources: [{name: nvidia.com/gpu, replicas: 4}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each section whose list of resources is missing or empty, at its key."""
    for profile in profiles(inventory):
        for section in profile.sections:
            if section.view["resources"].value in (None, [], ()):
                key = f"`sharing.{section.kind.value}`"
                yield DOC.found(f"{profile}: {key} specifies no resources", at=section.view.key_span)
