"""Kernel modules that the pool's card does not work with.

The open modules need Turing or newer: with them a V100 is not driven. Grace Hopper and Blackwell work with the open
modules only. `auto` chooses by the card, which the driver can do since 570.86.15.

Source: NVIDIA open-gpu-kernel-modules README; GPU Operator platform support and installation guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.drivers import KernelModules
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.branches import reaches
from gpuplan.rules.walk import graded, point, pools, written

AUTO = "auto"

DOC = RuleDoc(
    id="driver/kernel-modules",
    severity=Severity.ERROR,
    summary="Kernel modules that the card does not work with",
    why="The driver does not start on the card with these modules: the nodes offer no GPU.",
    fix="Write the modules that the card takes, or leave `kernelModules` out.",
    bad="nodePools:\n  b200: {card: b200, driver: {branch: '580', kernelModules: proprietary}}",
    good="nodePools:\n  b200: {card: b200, driver: {branch: '580', kernelModules: open}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose stated modules cannot drive its card, or cannot be chosen by its driver."""
    for _, pool in pools(fleet):
        path = (*pool.path, "driver", "kernelModules")
        limits = fleet.catalog.driver_limits(pool.card)
        if limits is None or not written(fleet, path):
            continue
        chosen, needed = pool.driver.kernel_modules, limits.kernel_modules
        if chosen != AUTO and needed is not KernelModules.ANY and chosen != needed.value:
            yield DOC.found(
                f"`{pool.card.name}` works with the {needed.value} kernel modules only, and pool `{pool.name}` has {chosen}",
                at=point(fleet, path),
                fix=f"Write `kernelModules: {needed.value}`.",
                severity=graded(known="kernel_modules" not in limits.unchecked),
            )
        least = fleet.catalog.drivers.requirements["kernel-modules-auto"].min_driver
        if chosen == AUTO and least and not reaches(fleet, pool.driver.branch, least):
            yield DOC.found(
                f"Pool `{pool.name}`: `auto` needs driver {least} or newer, and the branch is {pool.driver.branch}",
                at=point(fleet, path),
                fix="Write `open` or `proprietary`.",
                severity=Severity.WARNING,
            )
