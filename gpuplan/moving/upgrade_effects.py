"""What restarts where when a part moves, whether work survives it, and how long the way back is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog import Vendor, effects, upgrade_steps
from gpuplan.catalog.effects import EffectFact
from gpuplan.catalog.upgrade_steps import Restart, Rollback
from gpuplan.emit.gpu_operator.drivers import driver_version
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.moving import upgrade_target
from gpuplan.moving.upgrade_moves import Move
from gpuplan.moving.upgrade_target import Change
from gpuplan.rules.branches import is_known

Pools = tuple[NodePool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarting:
    """Pods that restart: in some pools, or in the cluster at large where it names none."""

    pools: Pools
    pods: str
    survives: bool
    """Whether pods that hold cards run on."""
    fact: EffectFact
    stateful: tuple[tuple[str, int], ...]
    """(task pool, seconds of grace) of the stateful serving that may lose its sessions; none where work survives."""

    @property
    def nodes(self) -> int:
        """Nodes of the pools, as far as the spec counts them."""
        return sum(pool.nodes for pool in self.pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A move with the fleet and the cluster before and after it."""

    move: Move
    before: tuple[Fleet, Cluster]
    after: tuple[Fleet, Cluster]


def driver_pools(passage: Passage) -> Pools:
    """Return the pools whose driver changes."""
    (old_fleet, old), (new_fleet, new) = passage.before, passage.after
    return tuple(
        pool
        for was, pool in zip(old.pools, new.pools, strict=True)
        if pool.card.vendor is Vendor.NVIDIA
        and is_known(new_fleet, pool)
        and driver_version(old_fleet, old, was) != driver_version(new_fleet, new, pool)
        and (pool in new.operator_driver_pools or was.driver.branch != pool.driver.branch)
    )


def restarts(passage: Passage) -> Iterator[Restarting]:
    """Yield what restarts."""
    cluster, facts = passage.after[1], effects.read()
    covered = _covered(passage)
    for row in upgrade_steps.read().restarts.values():
        if row.part not in covered:
            continue
        pools = _SELECTED[row.on](passage)
        if pools is None:
            continue
        yield Restarting(
            pools=pools,
            pods=row.pods,
            survives=row.survives,
            fact=facts[row.fact],
            stateful=() if row.survives else tuple(_stateful(cluster, pools)),
        )


def _covered(passage: Passage) -> set[str]:
    """Return the parts whose pods restart: that of the move, those whose components it takes along, and drivers."""
    move = passage.move
    changed = {
        name
        for name, component in passage.after[1].components.items()
        if name in passage.before[1].components
        and passage.before[1].components[name].version != component.version
        and upgrade_target.is_used(passage.after[1], name)
    }
    parts = upgrade_steps.read().order.values()
    covered = {part.name for part in parts if changed.intersection(part.components)} | {move.part.name}
    return covered | ({"driver"} if driver_pools(passage) else set())


def _stateful(cluster: Cluster, pools: Iterable[NodePool]) -> Iterator[tuple[str, int]]:
    for cohort in cluster.users_of(pools):
        if cohort.task_pool.stateful:
            yield cohort.task_pool.name, cohort.task_pool.drain_seconds


Selector = Callable[[Passage], Pools | None]
"""Gives the pools where something restarts, none for the cluster at large, or None where nothing does."""


def _some(pools: Iterable[NodePool]) -> Pools | None:
    return tuple(pools) or None


def _manual(passage: Passage, mode: SharingMode | None = None) -> Pools | None:
    pools = passage.after[1].pools_on("manual", Vendor.NVIDIA)
    return _some(pool for pool in pools if mode in (None, pool.sharing.mode))


def _operators(passage: Passage, *, drivers: bool) -> Pools | None:
    """Return the operator's pools, with a driver of its own or without; None unless the operator itself moves."""
    cluster = passage.after[1]
    if "gpuOperator" not in passage.move.components:
        return None
    return _some(pool for pool in cluster.operator_pools if (pool in cluster.operator_driver_pools) is drivers)


def _agents(passage: Passage) -> Pools | None:
    return None if "gpuOperator" in passage.move.components else _some(passage.after[1].operator_pools)


def _plugin_of(passage: Passage) -> Pools | None:
    moved = {"gpuOperator", "devicePlugin"}.intersection(passage.move.components)
    pools = passage.after[1].operator_pools if moved else ()
    return _some(pool for pool in pools if pool.sharing.mode is SharingMode.MPS)


def _drivers(passage: Passage, *, by_operator: bool) -> Pools | None:
    """Return the pools whose driver changes. A step that only moves the operator has rows of its own."""
    installed = passage.after[1].operator_driver_pools
    return _some(pool for pool in driver_pools(passage) if (pool in installed) is by_operator)


def _with_state(passage: Passage, pools: Pools | None) -> Pools | None:
    cluster = passage.after[1]
    return _some(pool for pool in pools or () if any(_stateful(cluster, [pool])))


_SELECTED: Mapping[str, Selector] = {
    "cluster": lambda _: (),
    "driverByOperator": lambda passage: (
        _drivers(passage, by_operator=True)
        if passage.move.part.name != "operator"
        else _operators(passage, drivers=True)
    ),
    "driverByOthers": lambda passage: _drivers(passage, by_operator=False),
    "driverPreinstalled": lambda passage: _operators(passage, drivers=False),
    "kueueByOthers": lambda passage: None if passage.after[1].kueue.managed else (),
    "kueueManaged": lambda passage: () if passage.after[1].kueue.managed else None,
    "manual": _manual,
    "manualMps": lambda passage: _manual(passage, SharingMode.MPS),
    "mig": lambda passage: _manual(passage, SharingMode.MIG),
    "operatorAgents": _agents,
    "operatorMps": _plugin_of,
    "stateful": lambda passage: _with_state(passage, driver_pools(passage)),
    "statefulByOperator": lambda passage: _with_state(passage, _operators(passage, drivers=True)),
}


def rows_without_selector() -> tuple[Restart, ...]:
    """Return the rows of data that name pools which nobody selects: a fault of ours."""
    return tuple(row for row in upgrade_steps.read().restarts.values() if row.on not in _SELECTED)


def rollback(passage: Passage) -> Rollback:
    """Return how one goes back from a step."""
    rows = upgrade_steps.read().rollback
    old, new = passage.before[1].kueue.version, passage.after[1].kueue.version
    if passage.move.part.name == "kueue" and old.minor < _STORED_SINCE <= new.minor:
        return rows["kueue-storage"]
    return rows[passage.move.part.name]


_STORED_SINCE = (0, 16)
"""The minor of Kueue that began to store v1beta2."""


def way_back(change: Change) -> Rollback:
    """Return what is known of taking a component back by itself."""
    steps = upgrade_steps.read()
    if change.old is not None and change.component == "kueue" and change.new.minor < _STORED_SINCE <= change.old.minor:
        return steps.rollback["kueue-storage"]
    parts = (part.name for part in steps.order.values() if change.component in (part.name, *part.components))
    return steps.rollback[next(parts, "release")]
