"""Precompiled driver images where there are none.

NVIDIA builds driver images with ready modules for a few pairs of branch and kernel, on Ubuntu. Elsewhere the tag
`<branch>-<kernel>-<system>` does not exist, and no driver starts. They are the GPU Operator's matter: where it does not
install the driver, nobody takes them.

Source: GPU Operator, precompiled driver containers and platform support. Reports: NVIDIA/gpu-operator #910, #682, #1203, #933.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import driver_image
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="driver/not-precompiled",
    severity=Severity.ERROR,
    summary="Precompiled driver images that do not exist",
    why="Images with ready modules are built for a few branches and kernels; for others nothing can be pulled.",
    fix="Leave `precompiled` out, or take a branch and system that have such images.",
    bad="nodePools:\n  a: {stack: operator, driver: {branch: '535', precompiled: true}}",
    good="nodePools:\n  a: {stack: operator, driver: {branch: '580', precompiled: true}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that asks for images which are not there, or of nobody."""
    for cluster, pool in pools(fleet):
        if pool.driver.precompiled:
            yield from _found(fleet, cluster, pool)


def _found(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Iterator[Diagnostic]:
    at = point(fleet, (*pool.path, "driver", "precompiled"))
    if pool not in cluster.operator_driver_pools:
        yield DOC.found(
            f"Nobody takes precompiled driver images for pool `{pool.name}`: the GPU Operator does not install its driver",
            at=at,
            fix="Leave `precompiled` out.",
            severity=Severity.WARNING,
        )
        return
    if driver_image(fleet, cluster, pool).fails:
        system = fleet.catalog.compat.operating_systems.get(cluster.os)
        kernels = system.precompiled_kernels if system else {}
        there = "; ".join(f"branch {branch} for kernels {listed(names)}" for branch, names in kernels.items())
        yield DOC.found(
            f"Pool `{pool.name}` asks for precompiled images of driver branch {pool.driver.branch} for `{cluster.os}`, "
            "and there are none",
            at=at,
            fix=f"Leave `precompiled` out. For `{cluster.os}` there are {there or 'none of any branch'}.",
        )
