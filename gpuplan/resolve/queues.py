"""Task pools, teams, and which cluster each quota belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gpuplan.diagnostics import KeyPath
from gpuplan.model.flavors import Flavor
from gpuplan.model.pools import CardTier
from gpuplan.model.queues import (
    Amount,
    Cohort,
    Fallback,
    FlavorResource,
    LargestJob,
    PoolShare,
    Service,
    TaskKind,
    TaskPool,
    Team,
    TeamQueue,
    TopologyRequest,
    resource_groups,
)
from gpuplan.resolve import findings, watching
from gpuplan.resolve.binding import FlavorsByCluster, Place, bind, hardware_is_broken, numbers, usable_flavors
from gpuplan.resolve.names import Naming
from gpuplan.resolve.scope import Scope
from gpuplan.spec.queues import AmountSpec, PoolSharesSpec, TaskPoolSpec, TeamQuotaSpec, TeamSpec

DEFAULT_FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "training": ("job", "jobset"),
    "batchInference": ("job",),
    "onlineInference": ("deployment", "statefulset", "leaderworkerset"),
    "experiment": ("job", "pod"),
}
"""Workload kinds that a task pool runs when it does not say, by task kind."""


def task_pools(scope: Scope, naming: Naming, tiers: Mapping[str, CardTier]) -> dict[str, TaskPool]:
    """Bind the tiers of every task pool. One with an unknown tier is left out."""
    made = ((name, _task_pool(scope, naming, name, spec, tiers)) for name, spec in scope.spec.task_pools.items())
    return {name: pool for name, pool in made if pool is not None}


def _task_pool(
    scope: Scope, naming: Naming, name: str, spec: TaskPoolSpec, tiers: Mapping[str, CardTier]
) -> TaskPool | None:
    path = ("taskPools", name)
    bound = [scope.look_up("cardTiers", tiers, tier, (*path, "tiers", index)) for index, tier in enumerate(spec.tiers)]
    if None in bound:
        return None
    if spec.service != "shared":
        _reject_key(scope, path, "pool", spec.service, given=spec.pool is not None)
        _reject_key(scope, path, "poolBorrow", spec.service, given=spec.pool_borrow is not None)
    service = Service(spec.service)
    return TaskPool(
        name=name,
        cohort=naming.cohort(name),
        local_queue=naming.local_queue(name),
        priority_classes=naming.band(service),
        pod_priority_class=naming.pod_priority_class(service),
        kind=TaskKind(spec.kind),
        service=service,
        tiers=tuple(spec.tiers),
        fallback=Fallback(spec.fallback or "none"),
        strict=spec.queueing == "strict",
        largest_job=LargestJob(pods=spec.largest_job.pods, per_pod=spec.largest_job.cards_per_pod),
        topology=_topology(spec),
        stateful=spec.stateful is not None,
        drain_seconds=spec.stateful.drain_seconds if spec.stateful else 0,
        frameworks=tuple(spec.frameworks or DEFAULT_FRAMEWORKS[spec.kind]),
        serving=watching.serving(spec, path),
        idle=watching.idle(scope, spec, path),
        path=path,
    )


def _topology(spec: TaskPoolSpec) -> TopologyRequest:
    if spec.topology is None:
        return TopologyRequest()
    if spec.topology.required is not None:
        return TopologyRequest(mode="required", level=spec.topology.required)
    return TopologyRequest(mode="preferred", level=spec.topology.preferred or "")


def _reject_key(scope: Scope, path: KeyPath, key: str, service: str, *, given: bool) -> None:
    """Report a key that the service class does not have, where the spec gives it."""
    if given:
        summary = f"`{key}` means nothing to a task pool with service `{service}`"
        scope.found.append(findings.KEY_NOT_FOR_SERVICE.found(summary, at=scope.origins.key((*path, key))))


def teams(scope: Scope) -> dict[str, Team]:
    """Return every team; nothing in a team itself refers to anything."""
    return {name: _team(name, spec) for name, spec in scope.spec.teams.items()}


def _team(name: str, spec: TeamSpec) -> Team:
    return Team(
        name=name,
        namespaces=tuple(spec.namespaces),
        groups=tuple(spec.groups),
        cost_center=spec.cost_center or "",
        receiver=spec.alerts.receiver if spec.alerts else "",
        owners=tuple(dict.fromkeys(spec.owners)),
        path=("teams", name),
    )


def cohorts(
    scope: Scope, naming: Naming, pools: Mapping[str, TaskPool], known: Mapping[str, Team], flavors: FlavorsByCluster
) -> dict[str, tuple[Cohort, ...]]:
    """Return the cohorts of each cluster, in the order of the spec, with every quota bound."""
    queues = _queues(scope, naming, pools, known, flavors)
    made: dict[str, list[Cohort]] = {cluster: [] for cluster in flavors}
    for pool in pools.values():
        spec = scope.spec.task_pools[pool.name]
        shares = _shares(scope, pool, spec, flavors)
        for cluster in flavors:
            usable = usable_flavors(pool, flavors[cluster])
            if usable:
                own = {place.item: place.value for place in shares if place.cluster == cluster}
                members = queues.get((cluster, pool.name), {})
                bound = tuple(_with_caps(pool, queue, own, usable) for queue in members.values())
                made[cluster].append(Cohort(task_pool=pool, groups=resource_groups(usable), shares=own, queues=bound))
    return {cluster: tuple(found) for cluster, found in made.items()}


def _shares(scope: Scope, pool: TaskPool, spec: TaskPoolSpec, flavors: FlavorsByCluster) -> list[Place[PoolShare]]:
    """Bind `pool` and `poolBorrow`; both speak of the same flavors and resources."""
    if pool.service is not Service.SHARED:
        return []

    def bound(said: PoolSharesSpec | None, key: str) -> dict[tuple[str, FlavorResource], Place[int]]:
        if said is None:
            return {}
        written = numbers(said.__pydantic_extra__, said.clusters, (*pool.path, key))
        return {(place.cluster, place.item): place for place in bind(scope, pool, written, flavors)}

    nominal, borrow = bound(spec.pool, "pool"), bound(spec.pool_borrow, "poolBorrow")
    shares = []
    for target in dict.fromkeys((*nominal, *borrow)):
        own, more = nominal.get(target), borrow.get(target)
        path = own.path if own else borrow[target].path
        share = PoolShare(nominal=own.value if own else 0, borrow=more.value if more else 0, path=path)
        shares.append(Place(*target, share, path))
    return shares


def _queues(
    scope: Scope, naming: Naming, pools: Mapping[str, TaskPool], known: Mapping[str, Team], flavors: FlavorsByCluster
) -> dict[tuple[str, str], dict[str, TeamQueue]]:
    """Return the queues by (cluster, task pool) and team; amounts that the spec leaves out are 0, caps come later."""
    made: dict[tuple[str, str], dict[str, TeamQueue]] = {}
    for team in known.values():
        for name, spec in scope.spec.teams[team.name].quotas.items():
            path = (*team.path, "quotas", name)
            pool = scope.look_up("taskPools", pools, name, path)
            if pool is None:
                continue
            for cluster, queue in _team_queues(scope, pool, team, spec, path, flavors):
                named = replace(queue, name=naming.cluster_queue(team.name, name))
                made.setdefault((cluster, name), {})[team.name] = named
    return made


def _team_queues(
    scope: Scope, pool: TaskPool, team: Team, spec: TeamQuotaSpec, path: KeyPath, flavors: FlavorsByCluster
) -> Iterator[tuple[str, TeamQueue]]:
    if pool.service is not Service.SHARED:
        _reject_key(scope, path, "weight", pool.service.value, given=spec.weight is not None)
    written = list(numbers(spec.__pydantic_extra__, spec.clusters, path))
    for number in written:
        _check_keys(scope, pool, number.value, number.path)
    places = bind(scope, pool, written, flavors)
    for cluster in _clusters(scope, pool, spec, [place.cluster for place in places], path, flavors):
        said = {place.item: place for place in places if place.cluster == cluster}
        amounts = {
            (flavor.name, resource): _amount(said.get((flavor.name, resource)), path)
            for flavor in usable_flavors(pool, flavors[cluster])
            for resource in flavor.capacity
        }
        yield cluster, TeamQueue(name="", team=team, weight=spec.weight or 1, amounts=amounts, path=path)


def _clusters(
    scope: Scope, pool: TaskPool, spec: TeamQuotaSpec, bound: list[str], path: KeyPath, flavors: FlavorsByCluster
) -> list[str]:
    """Return where the team has its queue: the clusters it names, else those of its numbers, else all of the task pool."""
    named = [name for name in spec.clusters if name in flavors]
    if named or bound or spec.clusters or spec.__pydantic_extra__:
        return [name for name in flavors if name in named or name in bound]
    everywhere = [name for name in flavors if usable_flavors(pool, flavors[name])]
    if not everywhere and not hardware_is_broken(scope):
        summary = f"No cluster has cards for task pool `{pool.name}`"
        scope.found.append(findings.TASK_POOL_WITHOUT_HARDWARE.found(summary, at=scope.origins.key(path)))
    return everywhere


def _check_keys(scope: Scope, pool: TaskPool, amount: AmountSpec, path: KeyPath) -> None:
    wrong = ("cap",) if pool.service.owns else ("guaranteed", "borrow", "lend")
    for key in wrong:
        _reject_key(scope, path, key, pool.service.value, given=getattr(amount, key) is not None)


UNCAPPED = -1
"""A cap that the spec leaves out, until `_with_caps` fills it in."""


def _amount(place: Place[AmountSpec] | None, path: KeyPath) -> Amount:
    if place is None:
        return Amount(guaranteed=0, borrow=0, lend=0, cap=UNCAPPED, path=path)
    said = place.value
    guaranteed = said.guaranteed or 0
    return Amount(
        guaranteed=guaranteed,
        borrow=said.borrow or 0,
        lend=guaranteed if said.lend is None else said.lend,
        cap=UNCAPPED if said.cap is None else said.cap,
        path=place.path,
    )


def _with_caps(
    pool: TaskPool, queue: TeamQueue, shares: Mapping[FlavorResource, PoolShare], usable: tuple[Flavor, ...]
) -> TeamQueue:
    """Fill in caps: all that the shared pool may hold, or for reclaimable work all that the flavor has."""
    capacity = {(flavor.name, resource): number for flavor in usable for resource, number in flavor.capacity.items()}

    def cap(item: FlavorResource) -> int:
        if pool.service is Service.RECLAIMABLE:
            return capacity[item]
        share = shares.get(item)
        return share.most if share else 0

    amounts = {
        item: replace(amount, cap=cap(item)) if amount.cap == UNCAPPED else amount
        for item, amount in queue.amounts.items()
    }
    return replace(queue, amounts=amounts)
