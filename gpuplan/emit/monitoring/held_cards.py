"""What pods hold: resources by the scheduler's own reckoning, and from that the cards of pools and teams.

Facts: kube-state-metrics 2.20. It shows requests after a pod's end and before it has a node: neither holds a card. Each
container counts once however many kube-state-metrics there are. Init containers run before the others, so a pod holds the
larger of both. Of devices that pods claim (DRA) it knows no number: there the exporter tells which pod is on which device,
and a device that several pods share counts for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.emit.monitoring import info
from gpuplan.emit.monitoring.promql import TO_TEAM
from gpuplan.emit.monitoring.series import (
    FRACTION,
    NAMESPACE_TEAM,
    NODE_CAPACITY,
    NODE_POOL,
    POD_REQUESTS,
    POOL_CAPACITY,
)
from gpuplan.model.pools import Exposure, NodePool, produced_resources

_POD = "namespace, pod, node, resource"


def requests(pools: Iterable[NodePool]) -> str:
    """Return the units of each resource that a pod on a node holds."""
    members = tuple(pools)
    counted = [pool for pool in members if pool.exposure is Exposure.DEVICE_PLUGIN]
    terms = [*([_asked(counted)] if counted else []), *_claimed(pool for pool in members if pool not in counted)]
    return "\nor\n".join(terms)


def _asked(pools: Iterable[NodePool]) -> str:
    names = sorted({base.prometheus_label(made.resource) for pool in pools for made in produced_resources(pool)})
    chosen = f'{{resource=~"{"|".join(names)}", node!=""}}'
    containers = f"sum by ({_POD}) (max by (container, {_POD}) (kube_pod_container_resource_requests{chosen}))"
    init = f"max by ({_POD}) (kube_pod_init_container_resource_requests{chosen})"
    return (
        f"(\n  {init} > {containers}\n  or\n  {containers}\n  or\n  {init}\n)\n"
        'and on (namespace, pod)\nmax by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"} == 1)'
    )


def _claimed(pools: Iterable[NodePool]) -> Iterator[str]:
    """Count the devices that a pod is seen on, for each kind of device."""
    found: dict[str, list[str]] = {}
    for pool in pools:
        for made in produced_resources(pool):
            profile = "" if made.unit.part == "card" else made.unit.part
            assert not profile or profile in info.instances(pool)  # noqa: S101 - claims are on cards and MIG instances
            found.setdefault(profile, []).append(pool.name)
    for profile, names in sorted(found.items()):
        held = f'DCGM_FI_DEV_GPU_TEMP{{pod!="", GPU_I_PROFILE="{profile}"}}'
        resource = base.prometheus_label(conventions.dra_resource(profile))
        yield (
            "label_replace(\n"
            f"  count by (namespace, pod, node) (max by (namespace, pod, node, UUID, GPU_I_ID) ({held}))\n"
            f'  and on (node) {NODE_POOL}{{pool=~"{"|".join(names)}"}},\n'
            f'  "resource", "{resource}", "", ""\n)'
        )


def capacity() -> str:
    """Return the cards of each pool's nodes that are there."""
    return f"sum by (pool) ({NODE_POOL} * on (pool) group_left () {NODE_CAPACITY})"


def of_pools() -> str:
    """Return the cards that pods hold in each pool, 0 where they hold none."""
    return f"sum by (pool) ({cards()})\nor\n{POOL_CAPACITY} * 0"


def of_teams() -> str:
    """Return the cards that the pods of each team hold in each pool."""
    return f"sum by (team, pool) ({cards()} * {TO_TEAM})"


def without_team() -> str:
    """Count the pods with cards in namespaces of no team."""
    pods = f"count by (namespace, pod) ({POD_REQUESTS} unless on (namespace) {NAMESPACE_TEAM})"
    return f"count({pods}) or vector(0)"


def cards() -> str:
    """Return the cards that each pod holds, by what says which: pool and resource besides its own labels."""
    return f"{POD_REQUESTS} * on (node) group_left (pool) {NODE_POOL} * on (pool, resource) group_left () {FRACTION}"
