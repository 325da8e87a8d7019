"""The reclaim policy of one cluster: all that the reclaimer must know of a fleet, as data and as the JSON of a ConfigMap."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, produced_resources
from gpuplan.model.queues import TaskPool
from gpuplan.model.reclaim import Notice, ReclaimMode
from gpuplan.model.sharing import SharingMode

FORMAT_VERSION: Final = "1"
BUSY_PART: Final = 0.5
"""Part of its rated power above which a card is at work, whatever its utilisation says. Idle cards take a tenth to a quarter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPolicy:
    """When work of a task pool counts as idle. The numbers are those of `IdlePolicy`."""

    enabled: bool
    threshold_percent: int
    idle_minutes: int
    coverage_percent: int
    minimum_age_minutes: int
    grace_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReclaimPolicy:
    """What is watched in a cluster, what counts as idle, and what is done about it."""

    fleet: str
    cluster: str
    mode: ReclaimMode
    teams: Mapping[str, str]
    """Namespace -> team: where work is watched."""
    pools: Mapping[str, PoolPolicy]
    """Name of a task pool's LocalQueues -> what holds there."""
    frameworks: tuple[str, ...]
    resources: tuple[str, ...]
    """Resources of which each piece is a card, or an instance that a pod has for itself."""
    shared_resources: tuple[str, ...]
    """Resources of which several pieces are one card, wherever they are offered: utilisation says nothing of one pod."""
    shared_pools: tuple[str, ...]
    """Node pools whose cards several pods may hold, under whatever name."""
    busy_watts: Mapping[str, int]
    """Node pool -> average draw above which a card is at work; pools whose card's power nobody knows are left out."""
    alertmanager_url: str
    """Empty where notices go out as Events alone."""
    notice: tuple[Notice, ...]
    every_minutes: int
    max_per_hour: int
    max_share_percent: int


def policy(fleet: Fleet, cluster: Cluster) -> ReclaimPolicy:
    """Return what holds in a cluster."""
    said = fleet.governance.reclaim
    resources, shared = _resources(cluster)
    url = fleet.monitoring.alertmanager.url if "alertmanager" in said.notice else ""
    ways: tuple[Notice, ...] = tuple(way for way in said.notice if way == "event" or url)
    return ReclaimPolicy(
        fleet=fleet.name,
        cluster=cluster.name,
        mode=said.mode,
        teams={name: team.name for team in cluster.teams for name in team.namespaces},
        pools={one.local_queue: _pool(one.task_pool) for one in cluster.cohorts_with_queues},
        frameworks=cluster.frameworks,
        resources=resources,
        shared_resources=shared,
        shared_pools=tuple(pool.name for pool in cluster.pools if not is_measured(pool)),
        busy_watts={pool.name: _busy_watts(pool) for pool in cluster.pools if _busy_watts(pool)},
        alertmanager_url=url,
        notice=ways or ("event",),
        every_minutes=said.every_minutes,
        max_per_hour=said.max_per_hour,
        max_share_percent=said.max_share_percent,
    )


def _pool(task_pool: TaskPool) -> PoolPolicy:
    said = task_pool.idle
    return PoolPolicy(**{field.name: getattr(said, field.name) for field in dataclasses.fields(PoolPolicy)})


def is_measured(pool: NodePool) -> bool:
    """Tell whether utilisation on a pool is that of one pod: of whole cards, or of instances that hardware keeps apart."""
    return pool.sharing.mode in (SharingMode.EXCLUSIVE, SharingMode.MIG, SharingMode.PARTITION)


def _resources(cluster: Cluster) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what pods ask for cards by: names of cards of their own, and names that only shared cards have.

    A name that one pool offers whole and another shares is among the first: where a pod runs tells which it got.
    """
    own = {made.resource for pool in cluster.pools if is_measured(pool) for made in produced_resources(pool)}
    names = {made.resource for pool in cluster.pools for made in produced_resources(pool)}
    return tuple(sorted(own)), tuple(sorted(names - own))


def _busy_watts(pool: NodePool) -> int:
    return int((pool.card.tdp_watts or 0) * BUSY_PART)


def text(made: ReclaimPolicy) -> str:
    """Return a policy as JSON, the same for the same policy."""
    data = {"formatVersion": FORMAT_VERSION, **dataclasses.asdict(made), "mode": made.mode.value}
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def read(written: str) -> ReclaimPolicy | str:
    """Return the policy that a text holds, or in words why it holds none."""
    try:
        data = json.loads(written)
    except ValueError as error:
        return f"it is not JSON: {error}"
    if not isinstance(data, dict) or data.pop("formatVersion", "") != FORMAT_VERSION:
        return f"it is not a reclaim policy of format {FORMAT_VERSION}; render it with this version of gpuplan"
    names = {field.name for field in dataclasses.fields(ReclaimPolicy)}
    if data.keys() != names:
        return f"its keys are not those of a reclaim policy: {', '.join(sorted(names ^ data.keys()))}"
    try:
        return _typed(data)
    except (AttributeError, TypeError, ValueError) as error:
        return f"a value is of the wrong kind: {error}"


def _typed(data: dict[str, Any]) -> ReclaimPolicy:
    """Give each value its type. Raises TypeError, ValueError or AttributeError for what has another."""
    lists = ("frameworks", "resources", "shared_resources", "shared_pools", "notice")
    made = ReclaimPolicy(
        **{
            **data,
            **{name: tuple(data[name]) for name in lists},
            "mode": ReclaimMode(data["mode"]),
            "pools": {name: PoolPolicy(**pool) for name, pool in data["pools"].items()},
        }
    )
    numbers = [value for pool in made.pools.values() for value in dataclasses.astuple(pool)]
    numbers += [made.every_minutes, made.max_per_hour, made.max_share_percent, *made.busy_watts.values()]
    texts = [made.fleet, made.cluster, made.alertmanager_url, *made.teams, *made.teams.values(), *made.notice]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise TypeError("a number is no whole number")
    if not all(isinstance(one, str) for one in cast("list[object]", texts)):
        raise TypeError("a text is none")
    return made
