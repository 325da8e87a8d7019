"""Which known problems a step of an upgrade meets in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog import Vendor, known_problems
from gpuplan.catalog.known_problems import Conditions, KnownProblem
from gpuplan.emit.gpu_operator.drivers import driver_version
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from gpuplan.moving import upgrade_target
from gpuplan.moving.upgrade_effects import Passage, driver_pools
from gpuplan.versions import Version, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A problem that a step may meet, and the pools where; none where it is a matter of the cluster."""

    problem: KnownProblem
    version: Version
    pools: tuple[str, ...]


def met(passage: Passage) -> Iterator[Met]:
    """Yield the problems of what changes in a step, in the order of their names."""
    cluster = passage.after[1]
    for problem in known_problems.read().values():
        if problem.component == "driver":
            yield from _of_drivers(passage, problem)
            continue
        old = passage.before[1].components.get(problem.component)
        new = cluster.components.get(problem.component)
        if old is None or new is None or old.version == new.version:
            continue
        where = places(cluster, problem.when) if upgrade_target.is_used(cluster, problem.component) else None
        if where is not None and problem.concerns(old.version, new.version):
            yield Met(problem=problem, version=new.version, pools=where)


def _of_drivers(passage: Passage, problem: KnownProblem) -> Iterator[Met]:
    (old_fleet, old), (new_fleet, new) = passage.before, passage.after
    was = {pool.name: pool for pool in old.pools}
    for pool in driver_pools(passage):
        versions = parse(driver_version(old_fleet, old, was[pool.name])), parse(driver_version(new_fleet, new, pool))
        if (
            versions[0]
            and versions[1]
            and problem.concerns(versions[0], versions[1])
            and _holds(new, pool, problem.when)
        ):
            yield Met(problem=problem, version=versions[1], pools=(pool.name,))


def places(cluster: Cluster, when: Conditions) -> tuple[str, ...] | None:
    """Return the pools where conditions hold, none where they ask for no pool; None where they hold nowhere."""
    asked = (
        (when.distributions, {cluster.distribution}),
        (when.systems, {cluster.os}),
        (when.runtimes, {cluster.container_runtime}),
        (when.frameworks, set(cluster.frameworks)),
    )
    if any(wanted and there.isdisjoint(wanted) for wanted, there in asked):
        return None
    if not all(_OF_CLUSTER[name](cluster) for name in when.features if name in _OF_CLUSTER):
        return None
    if not (when.stacks or when.sharing or when.architectures or set(when.features) - set(_OF_CLUSTER)):
        return ()
    found = tuple(pool.name for pool in cluster.pools if _holds(cluster, pool, when))
    return found or None


def _holds(cluster: Cluster, pool: NodePool, when: Conditions) -> bool:
    """Tell whether conditions hold of a pool of NVIDIA cards. A feature that nobody knows is our fault: KeyError."""
    return (
        pool.card.vendor is Vendor.NVIDIA
        and (not when.stacks or pool.stack in when.stacks)
        and (not when.sharing or pool.sharing.mode.value in when.sharing)
        and (not when.architectures or pool.card.architecture in when.architectures)
        and all(_OF_POOL[name](cluster, pool) for name in when.features if name not in _OF_CLUSTER)
    )


_OF_CLUSTER: Mapping[str, Callable[[Cluster], bool]] = {
    "kueueByOthers": lambda cluster: not cluster.kueue.managed,
    "nfd": lambda cluster: upgrade_target.is_used(cluster, "nfd"),
    "topology": lambda cluster: any(flavor.levels for flavor in cluster.flavors),
}
"""Features of a cluster that problems ask for, by the names in the data."""
_OF_POOL: Mapping[str, Callable[[Cluster, NodePool], bool]] = {
    "driverByOperator": lambda cluster, pool: pool in cluster.operator_driver_pools,
    "driverByOthers": lambda _, pool: pool.stack == "manual" or pool.driver.preinstalled,
}
"""Features of a pool."""
FEATURES = frozenset((*_OF_CLUSTER, *_OF_POOL))
"""All of them."""
