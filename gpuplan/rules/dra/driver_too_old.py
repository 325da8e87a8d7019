"""Claims with a GPU driver that NVIDIA's DRA driver does not support.

NVIDIA publishes devices through its management library; what an older branch does not tell is missing from them, so that
classes of ours may select nothing.

Source: NVIDIA GPU Operator 26.7, platform support: DRA needs driver branch 580 or newer.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.branches import is_known, reaches
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/driver-too-old",
    severity=Severity.WARNING,
    summary="Claims with a GPU driver that NVIDIA's DRA driver does not support",
    why="NVIDIA supports its DRA driver on branch 580 and newer; on older ones devices may be missing or cannot be prepared.",
    fix="Use a driver of branch 580 or newer.",
    bad="nodePools:\n  a: {exposure: dra, driver: {branch: '570'}}",
    good="nodePools:\n  a: {exposure: dra, driver: {branch: '580'}}",
)

REQUIREMENT = "operator-dra"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool whose stated driver is older."""
    minimum = fleet.catalog.drivers.requirements[REQUIREMENT].min_driver
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster) if minimum else ():
            if minimum and is_known(fleet, pool) and not reaches(fleet, pool.driver.branch, minimum):
                yield DOC.found(
                    f"Pool `{pool.name}` has driver {pool.driver.branch}, and claims need {minimum} or newer",
                    at=point(fleet, (*pool.path, "driver", "branch")),
                )
