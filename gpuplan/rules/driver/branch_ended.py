"""A driver branch past its end of support.

After that day NVIDIA fixes nothing in it, security included, and makes no images of it for new kernels: the next kernel
update of a node may leave it without a driver. Long-term branches live for three years, production branches for one,
new-feature branches for half a year.

Source: NVIDIA data centre driver life cycle, in the GPU Operator's platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import branch_life
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="driver/branch-ended",
    severity=Severity.WARNING,
    summary="A driver branch past its end of support",
    why="It gets no fixes any more, security included, and no images for new kernels.",
    fix="Move the pool to a supported branch that drives its card.",
    bad="nodePools:\n  a: {driver: {branch: '535'}}   # ended on 2026-06-30",
    good="nodePools:\n  a: {driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose branch has ended by the day of the run."""
    branches = fleet.catalog.drivers.branches
    alive = [name for name, branch in branches.items() if branch.newest and not branch.has_ended(fleet.today)]
    for _, pool in pools(fleet):
        branch = branches.get(pool.driver.branch)
        if branch is not None and branch_life(fleet, pool).fails:
            yield DOC.found(
                f"Pool `{pool.name}` runs driver branch {branch.name} ({branch.life}), whose support ended on {branch.ends}",
                at=point(fleet, (*pool.path, "driver", "branch")),
                fix=f"Supported on {fleet.today} are {listed(alive)}." if alive else None,
            )
