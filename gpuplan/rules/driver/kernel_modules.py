"""Kernel modules that the pool's card does not work with.

The open modules need Turing or newer: with them a V100 is not driven. Grace Hopper and Blackwell work with the open
modules only. `auto`, the default, chooses by the card, which the driver can do since 570.86.15; where the operator installs an
older one, the modules have to be named.

Source: NVIDIA open-gpu-kernel-modules README; GPU Operator platform support and installation guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import KernelModules
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.drivers import brought
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import automatic_modules, kernel_modules
from gpuplan.rules.judgement import severity
from gpuplan.rules.walk import graded, point, pools, written

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
        # What nobody wrote matters only where the operator hands it on to a driver that it installs.
        handed_on = pool.stack == "operator" and not pool.driver.preinstalled
        if limits is None or not (handed_on or written(fleet, path)):
            continue
        chosen, needed = pool.driver.kernel_modules, limits.kernel_modules
        fit = kernel_modules(pool, limits)
        if fit.fails:
            yield DOC.found(
                f"`{pool.card.name}` works with the {needed.value} kernel modules only, and pool `{pool.name}` has {chosen}",
                at=point(fleet, path),
                fix=f"Write `kernelModules: {needed.value}`.",
                severity=severity(fit),
            )
        chosen_by_driver = automatic_modules(fleet, pool)
        if chosen_by_driver.fails:
            yield DOC.found(
                f"Pool `{pool.name}`: {chosen_by_driver.known}, and the driver's branch is {pool.driver.branch}",
                at=point(fleet, path),
                fix="Write `open` or `proprietary`.",
                severity=Severity.WARNING,
            )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each driver that manifests bring with modules that do not work with a card."""
    for one in brought(inventory):
        chosen, needed = one.modules.text(), one.limits.kernel_modules
        if chosen in ("open", "proprietary") and needed is not KernelModules.ANY and chosen != needed.value:
            yield DOC.found(
                f"{one.who} has `{one.card.name}`, which works with the {needed.value} modules only, and gets {chosen}",
                at=one.modules.key_span,
                fix=f"Write `kernelModuleType: {needed.value}`, or `auto`.",
                severity=graded(known="kernel_modules" not in one.limits.unchecked),
            )
