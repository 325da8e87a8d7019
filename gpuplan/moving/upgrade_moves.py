"""Moves: the single commits that an upgrade is made of, and what a fleet is after each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gpuplan import versions
from gpuplan.catalog import Component, Release, upgrade_steps
from gpuplan.catalog.upgrade_steps import Part
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.moving import upgrade_target
from gpuplan.moving.upgrade_target import Target
from gpuplan.rules.walk import written
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What one commit changes in one cluster; what is empty or None stays."""

    part: Part
    components: Mapping[str, Component] = field(default_factory=dict)
    kubernetes: Version | None = None
    pool: str = ""
    branch: str = ""
    release: Release | None = None
    all_components: Mapping[str, Component] | None = None
    """With a release: what the cluster has in the end, components that were not there before among them."""


def applied(fleet: Fleet, cluster: Cluster, move: Move) -> tuple[Fleet, Cluster]:
    """Return the fleet and the cluster after a move."""
    components = {**cluster.components, **move.components} if move.all_components is None else dict(move.all_components)
    pools = tuple(_with_branch(pool, _branch(fleet, cluster, pool, move)) for pool in cluster.pools)
    by_name = {pool.name: pool for pool in pools}
    flavors = tuple(
        replace(flavor, pools=tuple(by_name[pool.name] for pool in flavor.pools)) for flavor in cluster.flavors
    )
    after = replace(
        cluster,
        kubernetes=move.kubernetes or cluster.kubernetes,
        release=move.release or cluster.release,
        components=components,
        kueue=replace(cluster.kueue, version=components["kueue"].version),
        gpu_operator=replace(cluster.gpu_operator, version=components["gpuOperator"].version),
        pools=pools,
        flavors=flavors,
    )
    clusters = tuple(after if one.name == after.name else one for one in fleet.clusters)
    return replace(fleet, clusters=clusters), after


def _with_branch(pool: NodePool, branch: str) -> NodePool:
    return replace(pool, driver=replace(pool.driver, branch=branch)) if branch != pool.driver.branch else pool


def _branch(fleet: Fleet, cluster: Cluster, pool: NodePool, move: Move) -> str:
    """Return a pool's driver branch after a move. Another set changes the branch of pools that name none, also unused ones."""
    if pool.name == move.pool:
        return move.branch
    usual = str(cluster.release.driver.major)
    if move.release is None or pool.driver.branch != usual or written(fleet, (*pool.path, "driver", "branch")):
        return pool.driver.branch
    return str(move.release.driver.major)


def tracks(fleet: Fleet, cluster: Cluster, target: Target) -> dict[str, list[Move]]:
    """Return the moves of each part, by its name in the order of the parts; only parts that move are there."""
    made: dict[str, list[Move]] = {}
    left = _changed(cluster, target)
    for part in upgrade_steps.read().order.values():
        moves = [
            *(_kubernetes(cluster, part, target) if part.name == "kubernetes" else ()),
            *(_drivers(fleet, cluster, part, target) if part.name == "driver" else ()),
        ]
        mine = {name: left.pop(name) for name in part.components if name in left and _runs(part, cluster, name)}
        if any(upgrade_target.is_used(cluster, name) for name in mine):
            moves.append(Move(part=part, components=mine))
        else:
            left |= mine
        if part.name == "release":
            moves += _release(cluster, part, target, left)
        if moves:
            made[part.name] = moves
    return made


def _changed(cluster: Cluster, target: Target) -> dict[str, Component]:
    """Return the components that the cluster has and that change."""
    in_the_end = upgrade_target.wanted(cluster, target)
    return {
        name: component
        for name, component in in_the_end.items()
        if name in cluster.components and component.version != cluster.components[name].version
    }


def _runs(part: Part, cluster: Cluster, name: str) -> bool:
    """Tell whether a component moves with a part: where the operator is, its agents move with it on all nodes."""
    if part.stack == "manual":
        return not cluster.has_operator
    return not part.stack or (cluster.has_operator and name in cluster.components)


def _kubernetes(cluster: Cluster, part: Part, target: Target) -> Iterator[Move]:
    """Yield one move for each minor on the way; a way back is one move, which is refused."""
    wanted = target.kubernetes
    if wanted is None or wanted == cluster.kubernetes:
        return
    major, minor = cluster.kubernetes.minor
    for passed in range(minor + 1, wanted.minor[1]) if major == wanted.major else ():
        yield Move(part=part, kubernetes=versions.required(f"{major}.{passed}"))
    yield Move(part=part, kubernetes=wanted)


def _drivers(fleet: Fleet, cluster: Cluster, part: Part, target: Target) -> Iterator[Move]:
    """Yield one move a pool: those without stateful serving first, then the smallest first."""

    def rank(pool: NodePool) -> tuple[bool, int, str]:
        stateful = any(cohort.task_pool.stateful for cohort in cluster.users_of([pool]))
        return stateful, pool.nodes, pool.name

    for pool in sorted(cluster.pools, key=rank):
        branch = upgrade_target.new_branch(fleet, cluster, pool, target)
        if branch != pool.driver.branch:
            yield Move(part=part, pool=pool.name, branch=branch)


def _release(cluster: Cluster, part: Part, target: Target, left: Mapping[str, Component]) -> Iterator[Move]:
    """Yield the move that names another set, or that of components which nothing in the cluster runs."""
    if target.release is not None and target.release.name != cluster.release.name:
        yield Move(part=part, release=target.release, all_components=upgrade_target.wanted(cluster, target))
    elif left:
        yield Move(part=part, components=dict(left))
