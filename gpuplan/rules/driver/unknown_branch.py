"""A driver branch that the catalogue does not know.

gpuplan can say nothing about it: neither whether it drives the card nor when its support ends. Branches are three digits, as
in 580; most unknown ones are a slip or older than the catalogue.

Source: NVIDIA data centre driver branches, in the GPU Operator's platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.branches import is_known
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="driver/unknown-branch",
    severity=Severity.WARNING,
    summary="A driver branch that the catalogue does not know",
    why="Nothing about it can be checked: neither whether it drives the card, nor how long it is supported.",
    fix="Write one of the known branches.",
    bad="nodePools:\n  a: {driver: {branch: '585'}}",
    good="nodePools:\n  a: {driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool on an unknown branch."""
    known = fleet.catalog.drivers.branches
    for _, pool in pools(fleet):
        if is_known(fleet, pool) and pool.driver.branch not in known:
            yield DOC.found(
                f"Pool `{pool.name}` runs driver branch {pool.driver.branch}, which the catalogue does not know",
                at=point(fleet, (*pool.path, "driver", "branch")),
                fix=f"Known are {listed(known)}.",
            )
