"""FleetSpec -> Fleet: bind every name, fill every default, and lay the spec out cluster by cluster.

After this phase nothing is optional and nobody sees the spec any more.
"""

from __future__ import annotations

import datetime

from gpuplan.catalog import Catalog
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.quota_tree import quota_tree
from gpuplan.resolve import clusters, hardware, policy, queues, watching
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
    flavors = {name: hardware.flavors(pools, name) for name in platforms}
    task_pools = queues.task_pools(scope, tiers)
    teams = queues.teams(scope)
    cohorts = queues.cohorts(scope, task_pools, teams, flavors)
    governance = policy.governance(scope, platforms)
    monitoring = watching.monitoring(scope, platforms)
    delivery = policy.delivery(scope, platforms)
    found = ordered(scope.found)
    if has_errors(found) or loaded.broken:
        return None, found

    def cluster(name: str, platform: clusters.Platform) -> Cluster:
        own = cohorts[name]
        present = {queue.team.name for cohort in own for queue in cohort.queues}
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
            pools=tuple(pool for pool in pools.values() if pool.cluster == name),
            flavors=flavors[name],
            cohorts=own,
            teams=tuple(team for team in teams.values() if team.name in present),
            quota=quota_tree(loaded.spec.metadata.name, flavors[name], own),
            path=platform.path,
        )

    fleet = Fleet(
        name=loaded.spec.metadata.name,
        clusters=tuple(cluster(name, platform) for name, platform in platforms.items()),
        task_pools=tuple(task_pools.values()),
        teams=tuple(teams.values()),
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
