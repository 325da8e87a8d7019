"""What the spec knows, as constant series: Prometheus joins by them instead of by labels that somebody may forget to allow.

A share of a card is what the queues count: a whole card, one of so many shares of it (time slicing, MPS, HAMi), a MIG
instance or a partition by its compute slices. What a pod under HAMi asks for beside its share, memory and cores, is not in
it. Devices that pods claim (DRA) go by the names that Kueue counts them by. Numbers are exact: a part that no decimal number
can say is left to Prometheus to divide (`1 / 7`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpuplan.catalog import Catalog
from gpuplan.emit import base
from gpuplan.emit.monitoring import card_series, series
from gpuplan.emit.monitoring.alerts import Group, record
from gpuplan.emit.monitoring.promql import number
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, produced_resources
from gpuplan.model.queues import Cohort, TaskPool
from gpuplan.model.quota_tree import QuotaNode
from gpuplan.model.sharing import SharingMode

ONE = "vector(1)"


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the facts of a cluster's pools and teams."""
    yield Group(name="gpuplan-pools", records=tuple(_pools(fleet.catalog, cluster)))
    if cluster.teams:
        yield Group(name="gpuplan-teams", records=tuple(_teams(cluster)))


def _constant(of: series.Series, value: Fraction | int, **labels: str) -> RecordingRule:
    return record(of, f"vector({number(value)})", **labels)


def _pools(catalog: Catalog, cluster: Cluster) -> Iterator[RecordingRule]:
    for pool in cluster.pools:
        tier, card, sharing = pool.tier.name, pool.card.name, pool.sharing.label
        yield _constant(series.POOL, 1, pool=pool.name, tier=tier, card=card, sharing=sharing)
        yield from _counts(catalog, pool)
        yield from _shares(pool)
        yield from _prices(pool)


def _counts(catalog: Catalog, pool: NodePool) -> Iterator[RecordingRule]:
    """Yield how many nodes and cards the spec says there are. Where it does not, a number would be a lie: no series then."""
    if pool.counted:
        yield _constant(series.POOL_NODES, pool.nodes, pool=pool.name)
    if pool.cards_per_node:
        reported = card_series.cards_per_node(catalog.vendors.of(pool.card), pool)
        yield _constant(series.CARDS_PER_NODE, reported, pool=pool.name)
        yield _constant(series.NODE_CAPACITY, pool.cards_per_node, pool=pool.name)


def _shares(pool: NodePool) -> Iterator[RecordingRule]:
    for made in produced_resources(pool):
        resource = base.prometheus_label(made.resource)
        yield _constant(series.FRACTION, made.unit.card_share, pool=pool.name, resource=resource)
    for profile, share in instances(pool).items():
        yield _constant(series.MIG_FRACTION, share, pool=pool.name, GPU_I_PROFILE=profile)


def instances(pool: NodePool) -> dict[str, Fraction]:
    """Return the MIG profiles of a pool with the part of a card that each is, sorted; none where it is not cut.

    The exporter writes a profile as NVIDIA does, which is also the spec's way (`1g.5gb`).
    """
    if pool.sharing.mode is not SharingMode.MIG:
        return {}
    slices = pool.mig_class.compute_slices if pool.mig_class else 7
    profiles = sorted({profile for group in pool.sharing.groups for profile, _ in group.profiles})
    return {profile: Fraction(int(profile.partition("g")[0]), slices) for profile in profiles}


def _prices(pool: NodePool) -> Iterator[RecordingRule]:
    if not pool.tier.cost_per_card_hour:
        return
    price, currency = Fraction(pool.tier.cost_per_card_hour), pool.tier.currency
    yield _constant(series.CARD_PRICE, price, pool=pool.name, currency=currency)
    for made in produced_resources(pool):
        resource = base.prometheus_label(made.resource)
        unit = price * made.unit.card_share
        yield _constant(series.PRICE, unit, pool=pool.name, resource=resource, currency=currency)


def _teams(cluster: Cluster) -> Iterator[RecordingRule]:
    for team in sorted(cluster.teams, key=lambda team: team.name):
        yield record(series.TEAM, ONE, team=team.name, cost_center=team.cost_center)
        for namespace in team.namespaces:
            yield record(series.NAMESPACE_TEAM, ONE, namespace=namespace, team=team.name)
    for cohort in cluster.cohorts:
        yield from _queues(cluster, cohort)


def _queues(cluster: Cluster, cohort: Cohort) -> Iterator[RecordingRule]:
    """Quotas are those of cards: what else a queue covers has no owner among the teams' cards."""
    resources = tuple(sorted({resource for flavor in cohort.flavors for resource in flavor.capacity}))
    for queue in cohort.queues:
        yield record(series.QUEUE_TEAM, ONE, **_owner(queue.name, queue.team.name, cohort.task_pool))
        for resource, nominal in _nominal(cluster.quota.queues[queue.name], resources):
            yield _constant(series.QUEUE_QUOTA, nominal, cluster_queue=queue.name, resource=resource)
    if cohort.shares:
        for resource, nominal in _nominal(cluster.quota.cohorts[cohort.name], resources):
            yield _constant(series.COHORT_QUOTA, nominal, cohort=cohort.name, resource=resource)


def _owner(queue: str, team: str, task_pool: TaskPool) -> dict[str, str]:
    return {"cluster_queue": queue, "team": team, "task_pool": task_pool.name, "service": task_pool.service.value}


def _nominal(node: QuotaNode, resources: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Yield each resource with what a node owns of it in all flavors."""
    totals = dict.fromkeys(resources, 0)
    for (_, resource), limit in node.limits.items():
        if resource in totals:
            totals[resource] += limit.nominal
    yield from totals.items()
