"""What the catalogue knows of a pool's card and its driver going together.

Drivers are judged by their branch, since a spec names no more.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import DriverLimits, KernelModules, Vendor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rules.branches import is_known, reaches
from gpuplan.rules.judgement import Judgement, Verdict, by_fact, not_known, tried

AUTO = "auto"
BRANCH = "driver branch"
"""The aspect of a branch's life."""
NOT_SAID = "not said"
"""What stands for a driver that others choose."""


def of_pool(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Iterator[Judgement]:
    """Yield what is known of a pool's card and driver; nothing for cards of other vendors, whose drivers have no branches."""
    limits = fleet.catalog.driver_limits(pool.card)
    if limits is None or pool.card.vendor is not Vendor.NVIDIA:
        return
    yield branch_life(fleet, pool)
    yield oldest_driver(fleet, pool, limits)
    yield newest_branch(fleet, pool, limits)
    yield kernel_modules(pool, limits)
    yield automatic_modules(fleet, pool)
    if pool in cluster.operator_driver_pools:
        yield driver_image(fleet, cluster, pool)


def branch_life(fleet: Fleet, pool: NodePool) -> Judgement:
    """Judge a driver branch by the end of its support."""
    branch = fleet.catalog.drivers.branches.get(pool.driver.branch)
    if branch is None:
        return not_known(BRANCH, pool.driver.branch)
    newest = f", newest {branch.newest}" if branch.newest else ""
    verdict = _if_stated(fleet, pool, tried(fits=not branch.has_ended(fleet.today)))
    here = f"{branch.name}{newest}" if is_known(fleet, pool) else NOT_SAID
    return by_fact(branch, BRANCH, verdict, here=here, known=f"{branch.life} until {branch.ends}")


def oldest_driver(fleet: Fleet, pool: NodePool, limits: DriverLimits) -> Judgement:
    """Judge whether a driver branch reaches what the card needs."""
    least = limits.min_driver
    fits = least is None or reaches(fleet, pool.driver.branch, least)
    verdict = _if_stated(fleet, pool, _failing(limits, "min_driver", fits=fits))
    known = f"{least} or newer" if least else "no limit"
    return by_fact(limits, "least driver", verdict, here=_branch(fleet, pool), known=known)


def newest_branch(fleet: Fleet, pool: NodePool, limits: DriverLimits) -> Judgement:
    """Judge whether a driver branch still drives the card."""
    last = limits.max_branch
    fits = last is None or int(pool.driver.branch) <= last
    verdict = _if_stated(fleet, pool, _failing(limits, "max_branch", fits=fits))
    known = f"driven up to {last}" if last else "no limit"
    return by_fact(limits, "last branch", verdict, here=_branch(fleet, pool), known=known)


def kernel_modules(pool: NodePool, limits: DriverLimits) -> Judgement:
    """Judge whether the card works with the kernel modules that the pool names."""
    chosen, needed = pool.driver.kernel_modules, limits.kernel_modules
    fits = chosen == AUTO or needed is KernelModules.ANY or chosen == needed.value
    verdict = _failing(limits, "kernel_modules", fits=fits)
    known = "open or proprietary" if needed is KernelModules.ANY else f"{needed.value} only"
    return by_fact(limits, "modules", verdict, here=chosen, known=known)


def automatic_modules(fleet: Fleet, pool: NodePool) -> Judgement:
    """Judge whether the driver can choose the kernel modules by itself, where it is to."""
    needs = fleet.catalog.drivers.requirements["kernel-modules-auto"]
    least = needs.min_driver
    chosen = pool.driver.kernel_modules
    fits = chosen != AUTO or least is None or reaches(fleet, pool.driver.branch, least)
    return by_fact(needs, "auto modules", tried(fits=fits), here=chosen, known=f"`auto` from {least} on")


def driver_image(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Judgement:
    """Judge whether there is an image of the driver for the nodes' system, with ready modules where the pool asks for them."""
    aspect, here = "image", "precompiled" if pool.driver.precompiled else cluster.os
    tested = fleet.catalog.compat.operating_systems.get(cluster.os)
    if tested is None:
        return Judgement(aspect=aspect, verdict=Verdict.BAD, here=here, known=f"none for {cluster.os}")
    if not pool.driver.precompiled:
        return by_fact(tested, aspect, Verdict.OK, here=here, known=f"there is one for {cluster.os}")
    kernels = tested.precompiled_kernels.get(pool.driver.branch, ())
    known = f"precompiled for kernels {' and '.join(kernels)}" if kernels else f"none for {cluster.os}"
    return by_fact(tested, aspect, Verdict.OK if kernels else Verdict.BAD, here=here, known=known)


def _branch(fleet: Fleet, pool: NodePool) -> str:
    return pool.driver.branch if is_known(fleet, pool) else NOT_SAID


def _failing(limits: DriverLimits, field: str, *, fits: bool) -> Verdict:
    """Return how bad it is that a limit is not kept; a limit that nobody has read at its source only warns."""
    if fits:
        return Verdict.OK
    return Verdict.WARN if field in limits.unchecked else Verdict.BAD


def _if_stated(fleet: Fleet, pool: NodePool, verdict: Verdict) -> Verdict:
    """Return the verdict where the spec says which driver runs; others may install one of which it knows nothing."""
    return verdict if is_known(fleet, pool) else Verdict.UNKNOWN
