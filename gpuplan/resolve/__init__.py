"""FleetSpec -> Fleet: bind every name, fill every default, and lay the spec out cluster by cluster.

After this phase nothing is optional and nobody sees the spec any more.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan.catalog import Catalog
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.model.adopted import Adopted
from gpuplan.model.adopted_quota import counted
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.queues import Cohort, Team
from gpuplan.model.quota_tree import quota_tree
from gpuplan.resolve import adopted, clusters, hardware, policy, queues, watching
from gpuplan.resolve.names import Naming
from gpuplan.resolve.scope import Scope
from gpuplan.spec.load import Loaded


def resolve(loaded: Loaded, catalog: Catalog, today: datetime.date) -> tuple[Fleet | None, Diagnostics]:
    """Return the resolved fleet, or None with the findings that say which names stand for nothing.

    `today` is the day for which rules will judge dates such as the end of a driver branch.
    """
    catalog = catalog.with_cards(hardware.own_cards(loaded.spec.cards))
    scope = Scope(spec=loaded.spec, origins=loaded.origins, catalog=catalog, broken=loaded.broken)
    platforms = clusters.platforms(scope)
    tiers = hardware.card_tiers(scope)
    pools = hardware.node_pools(scope, tiers, platforms)
    naming = Naming(scope)
    flavors = {name: hardware.flavors(naming, pools, name) for name in platforms}
    task_pools = queues.task_pools(scope, naming, tiers)
    teams = queues.teams(scope)
    bound = _Bound(
        root=naming.root(),
        pools=tuple(pools.values()),
        flavors=flavors,
        cohorts=queues.cohorts(scope, naming, task_pools, teams, flavors),
        teams=tuple(teams.values()),
        staying=adopted.adopted(scope, platforms, teams),
    )
    governance = policy.governance(scope, platforms)
    monitoring = watching.monitoring(scope, platforms)
    delivery = policy.delivery(scope, platforms)
    naming.check()
    found = ordered(scope.found)
    if has_errors(found) or loaded.broken:
        return None, found

    fleet = Fleet(
        name=loaded.spec.metadata.name,
        clusters=tuple(_cluster(bound, platform, name) for name, platform in platforms.items()),
        task_pools=tuple(task_pools.values()),
        teams=bound.teams,
        monitoring=monitoring,
        governance=governance,
        delivery=delivery,
        suppressions=policy.suppressions(loaded.spec),
        moved=policy.moved(loaded.spec),
        today=today,
        catalog=catalog,
        places=loaded.origins,
    )
    return fleet, found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bound:
    """What clusters are made of, with all names bound: `flavors`, `cohorts` and what is `staying` by cluster."""

    root: str
    pools: tuple[NodePool, ...]
    flavors: Mapping[str, tuple[Flavor, ...]]
    cohorts: Mapping[str, tuple[Cohort, ...]]
    teams: tuple[Team, ...]
    staying: Mapping[str, Adopted]


def _cluster(bound: _Bound, platform: clusters.Platform, name: str) -> Cluster:
    flavors, staying = bound.flavors[name], bound.staying[name]
    cohorts = adopted.beside(bound.cohorts[name], staying)
    present = {queue.team.name for cohort in cohorts for queue in cohort.queues}
    return Cluster(
        name=name,
        kubernetes=platform.kubernetes,
        distribution=platform.spec.distribution,
        os=platform.spec.os,
        container_runtime=platform.spec.container_runtime,
        stack=platform.spec.stack,
        nvidia_default_runtime=platform.spec.nvidia_runtime.default,
        device_list_strategy=platform.spec.nvidia_runtime.device_list_strategy,
        nfd_taints=platform.spec.nfd.taints,
        release=platform.release,
        components=platform.components,
        kueue=platform.kueue,
        gpu_operator=platform.gpu_operator,
        destination=platform.destination,
        owners=tuple(dict.fromkeys(platform.spec.owners)),
        pools=tuple(pool for pool in bound.pools if pool.cluster == name),
        flavors=flavors,
        cohorts=cohorts,
        teams=tuple(team for team in bound.teams if team.name in present),
        quota=quota_tree(bound.root, flavors, cohorts, counted(flavors, staying)),
        adopted=staying,
        path=platform.path,
    )
