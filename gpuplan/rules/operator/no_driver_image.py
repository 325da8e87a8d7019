"""A pool whose driver the GPU Operator is to install on an operating system that NVIDIA makes no driver image for.

The image's tag ends in the system: `580.173.02-ubuntu24.04`. For another system there is none, the driver's pods cannot be
pulled, and everything else of the operator waits for them. Nodes that come with the driver need no image.

Source: GPU Operator platform support. Reports: NVIDIA/gpu-operator #690, #418, #647, #1533.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point
from gpuplan.suggest import misspelt

DOC = RuleDoc(
    id="operator/no-driver-image",
    severity=Severity.ERROR,
    summary="A driver for which there is no image for the operating system",
    why="The tag of a driver image ends in the operating system; without an image no driver starts, and nothing after it.",
    fix="Put the driver on the nodes and write `driver: {preinstalled: true}`, or take a supported system.",
    bad="clusters:\n  eu: {stack: operator, os: debian12}",
    good="clusters:\n  eu: {stack: operator, os: ubuntu24.04}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose driver has no image for its nodes."""
    systems = fleet.catalog.compat.operating_systems
    for cluster in fleet.clusters:
        meant = misspelt(cluster.os, systems)
        spelled = f"Write `os: {meant}` if that is meant. " if meant else ""
        for pool in cluster.operator_driver_pools if cluster.os not in systems else ():
            yield DOC.found(
                f"There is no driver image for `{cluster.os}`: the GPU Operator cannot install the driver of pool `{pool.name}`",
                at=point(fleet, (*pool.path, "driver")),
                also=(Related("the operating system", point(fleet, (*cluster.path, "os"))),),
                fix=f"{spelled}Write `driver: {{preinstalled: true}}` if the nodes come with the driver. "
                f"There are images for {listed(systems)}.",
            )
