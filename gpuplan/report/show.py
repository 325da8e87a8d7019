"""`gpuplan show`: what the fleet has and who may use it, as the compiler understands it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from gpuplan.diagnostics import KeyPath
from gpuplan.model.adopted_quota import claims
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import (
    NodePool,
    Produced,
    node_labels,
    produced_resources,
)
from gpuplan.model.quota_tree import NO_QUOTA
from gpuplan.model.sharing import WHOLE_CARD
from gpuplan.report.console import table, title

FORMAT_VERSION = "1.0"


def overview(fleet: Fleet, clusters: Iterable[Cluster], *, origins: bool) -> Iterator[RenderableType]:
    """Yield the pools and quotas of each cluster; with `origins`, the place in `fleet/` behind each line."""
    for number, cluster in enumerate(clusters):
        if number:
            yield Text("")
        kueue = f"Kueue {cluster.kueue.version}"
        yield title(
            f"{cluster.name}  Kubernetes {cluster.kubernetes} · {cluster.stack} · {cluster.release.name} · {kueue}"
        )
        yield _pools(fleet, cluster, origins=origins)
        yield Text("")
        yield _quotas(fleet, cluster, origins=origins)


def _where(fleet: Fleet, path: KeyPath, *, origins: bool) -> tuple[str, ...]:
    return (str(fleet.places.key(path)),) if origins else ()


def _pools(fleet: Fleet, cluster: Cluster, *, origins: bool) -> RenderableType:
    rows = []
    for flavor in cluster.flavors:
        for pool in flavor.pools:
            offered = ", ".join(_offer(pool, made) for made in produced_resources(pool))
            offered += f" · {pool.stack}" if pool.stack != cluster.stack else ""
            cards = f"{pool.nodes or '?'} x {pool.cards_per_node or '?'}"
            where = _where(fleet, pool.path, origins=origins)
            rows.append((pool.name, flavor.name, cards, offered, *where))
    header = ("POOL", "FLAVOR", "NODES x CARDS", "OFFERS", *(("FROM",) if origins else ()))
    return table(header, rows, right=frozenset({2}))


def _offer(pool: NodePool, made: Produced) -> str:
    """Return how many of a resource a pool offers, and what one of them is where the name does not tell."""
    part = made.unit.part
    told = part == WHOLE_CARD.part or part in made.resource
    number = f"{made.per_node * pool.nodes} " if pool.counted else ""
    return f"{number}{made.resource}{'' if told else f' ({part} each)'}"


def _quotas(fleet: Fleet, cluster: Cluster, *, origins: bool) -> RenderableType:
    rows = []
    for flavor in cluster.flavors:
        for resource, capacity in flavor.capacity.items():
            rows += list(_owners(fleet, cluster, flavor, resource, origins=origins))
            rest = cluster.quota.root.limits[flavor.name, resource].nominal
            blank = ("",) if origins else ()
            rows.append((flavor.name, resource, "(nobody)", "", str(rest), "", "", *blank))
            rows.append((flavor.name, resource, "= hardware", "", str(capacity), "", "", *blank))
    header = ("FLAVOR", "RESOURCE", "OWNER", "SERVICE", "OWNS", "MAY BORROW", "MOST", *(("FROM",) if origins else ()))
    return table(header, rows, right=frozenset({4, 5, 6}))


def _owners(
    fleet: Fleet, cluster: Cluster, flavor: Flavor, resource: str, *, origins: bool
) -> Iterator[tuple[str, ...]]:
    item = (flavor.name, resource)
    for cohort in cluster.cohorts:
        service = cohort.task_pool.service.value
        share = cohort.shares.get(item)
        if share:
            where = _where(fleet, share.path, origins=origins)
            pool = f"pool {cohort.task_pool.name}"
            yield (flavor.name, resource, pool, service, str(share.nominal), str(share.borrow), "", *where)
        for queue in cohort.queues:
            if item in queue.amounts:
                limit = cluster.quota.queues[queue.name].limits.get(item, NO_QUOTA)
                where = _where(fleet, queue.amounts[item].path, origins=origins)
                most = str(cluster.quota.potential(queue.name, item))
                borrow = "" if limit.borrowing is None else str(limit.borrowing)
                yield (flavor.name, resource, queue.name, service, str(limit.nominal), borrow, most, *where)
    for claim in claims(cluster.flavors, cluster.adopted):
        if claim.item == item:
            where = _where(fleet, claim.path, origins=origins)
            yield (flavor.name, resource, claim.name, "", str(claim.amount), "", "", *where)


def data(fleet: Fleet, clusters: Iterable[Cluster]) -> dict[str, Any]:
    """Return the resolved fleet for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "fleet": fleet.name,
        "clusters": [_cluster(fleet, cluster) for cluster in clusters],
    }


def _cluster(fleet: Fleet, cluster: Cluster) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "kubernetes": str(cluster.kubernetes),
        "stack": cluster.stack,
        "release": cluster.release.name,
        "kueue": str(cluster.kueue.version),
        "pools": [
            {
                "name": pool.name,
                "flavor": flavor.name,
                "card": pool.card.name,
                "nodes": pool.nodes or None,
                "cardsPerNode": pool.cards_per_node or None,
                "sharing": pool.sharing.label,
                "stack": pool.stack,
                "labels": node_labels(pool),
                "resources": {made.resource: made.per_node * pool.nodes for made in produced_resources(pool)},
                "from": str(fleet.places.key(pool.path)),
            }
            for flavor in cluster.flavors
            for pool in flavor.pools
        ],
        "queues": [
            {
                "name": queue.name,
                "team": queue.team.name,
                "taskPool": cohort.task_pool.name,
                "service": cohort.task_pool.service.value,
                "quotas": [
                    {
                        "flavor": item[0],
                        "resource": item[1],
                        "nominal": limit.nominal,
                        "borrowingLimit": limit.borrowing,
                        "lendingLimit": limit.lending,
                        "most": cluster.quota.potential(queue.name, item),
                    }
                    for item, limit in cluster.quota.queues[queue.name].limits.items()
                ],
                "from": str(fleet.places.key(queue.path)),
            }
            for cohort in cluster.cohorts
            for queue in cohort.queues
        ],
        "unowned": [
            {"flavor": item[0], "resource": item[1], "nominal": limit.nominal}
            for item, limit in cluster.quota.root.limits.items()
        ],
        "adopted": [
            {
                "kind": one.kind,
                "namespace": one.namespace,
                "name": one.name,
                "team": one.team,
                "from": str(fleet.places.key(one.path)),
            }
            for one in cluster.adopted.objects
        ],
    }
