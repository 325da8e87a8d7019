"""A precompiled driver that is named by its whole version.

Images with ready modules are tagged by the driver's branch and the kernel: `580-5.15.0-69-generic-ubuntu22.04`. For a whole
version there is none, and the driver's pods never start.

Source: GPU Operator, precompiled drivers. Reports: NVIDIA/gpu-operator #910, #682, #1203.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.versions import parse

DOC = RuleDoc(
    id="op/precompiled-version",
    severity=Severity.ERROR,
    summary="A precompiled driver is named by its whole version",
    why="Precompiled images are tagged by branch and kernel. The image does not exist, and the driver's pods never start.",
    fix="Write the branch alone.",
    bad="driver: {usePrecompiled: true, version: 580.95.05}",
    good='driver: {usePrecompiled: true, version: "580"}',
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each, of the operator's settings and of NVIDIADrivers."""
    settings = [one.root["driver"] for one in operators(inventory, anywhere=True)]
    settings += [one.spec for one in inventory.of("NVIDIADriver")]
    for driver in settings:
        version = parse(driver["version"].scalar())
        if driver["usePrecompiled"].flag() and version is not None and len(version.release) > 1:
            summary = f"Precompiled driver {version} is named by its whole version"
            yield DOC.found(summary, at=driver["version"].key_span, fix=f'Write `version: "{version.release[0]}"`.')
