"""A driver that the nodes do not bring, on a stack that installs none.

`preinstalled: false` asks an operator to install the driver. On `stack: manual` there is none: gpuplan's own agents find the
driver on the nodes, or no card at all.

Source: gpuplan's stacks, docs/stacks.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools, written

DOC = RuleDoc(
    id="driver/nobody-installs",
    severity=Severity.WARNING,
    summary="A driver that the nodes do not bring, and nobody installs",
    why="The agents of `stack: manual` find the driver on the nodes: without one the device plugin starts and offers no card.",
    fix="Bring the driver with the nodes and leave `preinstalled` out, or write `stack: operator`.",
    bad="nodePools:\n  a: {stack: manual, driver: {preinstalled: false}}",
    good="nodePools:\n  a: {stack: operator, driver: {preinstalled: false}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of `stack: manual` whose nodes are said to come without a driver."""
    for _, pool in pools(fleet):
        path = (*pool.path, "driver", "preinstalled")
        if pool.stack == "manual" and written(fleet, path) and not pool.driver.preinstalled:
            yield DOC.found(f"Nobody installs the driver of pool `{pool.name}`", at=point(fleet, path))
