"""A driver branch to install of which the catalogue knows no release.

The GPU Operator installs a release, `580.173.02`, not a branch; gpuplan takes the newest of the branch that it knows an image
of. A branch that is announced only, or whose images are gone, has none.

Source: NVIDIA data centre driver releases, in the GPU Operator's platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="driver/no-known-release",
    severity=Severity.ERROR,
    summary="A driver branch to install without a release that the catalogue knows",
    why="An image's tag holds a release, not a branch: there is nothing that the GPU Operator could be told to install.",
    fix="Write a branch of which a release is known.",
    bad="nodePools:\n  a: {stack: operator, driver: {branch: '620'}}",
    good="nodePools:\n  a: {stack: operator, driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of the operator whose branch has no release to install."""
    branches = fleet.catalog.drivers.branches
    released = [name for name, branch in branches.items() if branch.newest]
    for cluster in fleet.clusters:
        known = {*released, str(cluster.release.driver.major)}
        for pool in cluster.operator_driver_pools:
            branch = pool.driver.branch
            if branch not in known and not pool.driver.precompiled:
                yield DOC.found(
                    f"The GPU Operator is to install driver branch {branch} on pool `{pool.name}`, and no release of it is known",
                    at=point(fleet, (*pool.path, "driver", "branch")),
                    fix=f"Releases are known of {listed(released)}.",
                )
