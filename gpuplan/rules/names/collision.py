"""Two parts of the spec that make one name.

gpuplan joins names with a hyphen, and names may hold hyphens: team `a-b` in task pool `c` and team `a` in task pool
`b-c` are both ClusterQueue `a-b-c`. One object would overwrite the other. Cohorts are named after task pools, under a
root named after the fleet, and Kueue's tree has one namespace of names for them. `names` and `adopted` bring names of
their own, which must not be those of others either.

Source: Kubernetes object identity; gpuplan's names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpuplan.diagnostics import Diagnostic, KeyPath, Related, Severity
from gpuplan.model.adopted import AdoptedObject
from gpuplan.model.adopted_quota import in_words
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import written

DOC = RuleDoc(
    id="names/collision",
    severity=Severity.ERROR,
    summary="Two parts of the spec that make one name",
    why="Two objects of one name are one object to Kubernetes: the second would overwrite the first.",
    fix="Rename one of the two.",
    bad="teams:\n  a-b: {quotas: {c: {}}}\n  a: {quotas: {b-c: {}}}",
    good="teams:\n  ab: {quotas: {c: {}}}\n  a: {quotas: {b-c: {}}}",
)


SPACES = {
    "Cohort": "quota tree",
    "ClusterQueue": "quota tree",
    "ResourceFlavor": "flavors",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workload priorities",
    "PriorityClass": "pod priorities",
}
"""Kind of an adopted object -> the space of its names. LocalQueues have one in each namespace."""


class Named(NamedTuple):
    """A name in the space of names of its kind, and the place in the spec that it follows from."""

    space: str
    name: str
    what: str
    path: KeyPath


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each name that another object of the same cluster has, at the later of the two places."""
    for names in (*(_named(fleet, cluster) for cluster in fleet.clusters), _in_use(fleet)):
        bearers: dict[tuple[str, str], dict[KeyPath, Named]] = {}
        for named in names:
            bearers.setdefault((named.space, named.name), {})[named.path] = named
        for same in bearers.values():
            if len(same) > 1:
                yield from _shared(fleet, same.values())


def _shared(fleet: Fleet, same: Iterable[Named]) -> Iterator[Diagnostic]:
    first, *others = sorted(same, key=lambda named: fleet.places.key(named.path))
    for other in others:
        if _of_two_kinds(first, other):
            continue
        yield DOC.found(
            f"`{other.name}` would be the name of {other.what} and of {first.what}",
            at=fleet.places.key(other.path),
            also=(Related(f"makes {first.what}", fleet.places.key(first.path)),),
        )


def _of_two_kinds(one: Named, other: Named) -> bool:
    """Tell whether two adopted objects are of different kinds: to Kueue a cohort and a queue may have one name.

    Source: Kueue 0.19, pkg/cache/hierarchy. Ours may not, since the quota tree of a fleet goes by names.
    """
    adopted = one.path[0] == other.path[0] == "adopted"
    return adopted and one.path[:3] != other.path[:3]


def _in_use(fleet: Fleet) -> Iterator[Named]:
    """Yield the names in use that the spec gives to priorities, of which a service class has several."""
    section = "workloadPriorityClasses"
    said = fleet.places.plain().get("names", {}).get(section, {})
    for scheme, name in said.items():
        yield Named(section, name, f"the priority class `{scheme}`", ("names", section, scheme))


def _named(fleet: Fleet, cluster: Cluster) -> Iterator[Named]:
    """Yield the names of all objects that the fleet's own names, overrides or adopted objects can give."""
    if cluster.own_quota:
        yield Named("quota tree", cluster.quota.root.name, "the root cohort", _root(fleet))
        yield from _hardware(cluster)
    yield from _queues(cluster)
    yield from _priorities(cluster)
    for one in cluster.adopted.objects:
        if one.kind in SPACES:
            yield Named(SPACES[one.kind], one.name, in_words(one), one.path)
        elif one.namespace in cluster.namespaces:
            yield from _local_queue(cluster, one)


def _local_queue(cluster: Cluster, one: AdoptedObject) -> Iterator[Named]:
    """Yield the name of an adopted LocalQueue where a task pool has it: guard rails know queues by their names alone."""
    if one.name in {cohort.local_queue for cohort in cluster.cohorts_with_queues}:
        yield Named("queue names", one.name, in_words(one), one.path)


def _root(fleet: Fleet) -> KeyPath:
    """Return where the root cohort's name stands."""
    override = ("names", "rootCohort")
    return override if written(fleet, override) else ("metadata", "name")


def _hardware(cluster: Cluster) -> Iterator[Named]:
    for flavor in cluster.flavors:
        yield Named("flavors", flavor.name, f"the flavor of pool `{flavor.pools[0].name}`", flavor.pools[0].path)
    for flavor in cluster.flavors:
        if flavor.levels:
            yield Named("topologies", flavor.topology, f"the topology of tier `{flavor.tier.name}`", flavor.tier.path)


def _queues(cluster: Cluster) -> Iterator[Named]:
    """Yield the names of queues: in the quota tree ClusterQueues and cohorts share one space."""
    for cohort in cluster.cohorts:
        pool = cohort.task_pool
        yield Named("quota tree", cohort.name, f"the cohort of task pool `{pool.name}`", pool.path)
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            what = f"the queue of team `{queue.team.name}` in `{cohort.task_pool.name}`"
            yield Named("quota tree", queue.name, what, queue.path)
    for cohort in cluster.cohorts_with_queues:
        pool = cohort.task_pool
        yield Named("queue names", cohort.local_queue, f"the local queues of task pool `{pool.name}`", pool.path)


def _priorities(cluster: Cluster) -> Iterator[Named]:
    services = {cohort.task_pool.service: cohort.task_pool for cohort in reversed(cluster.cohorts)}
    for service, pool in services.items():
        what = f"a priority of service class {service.value}"
        for name in pool.priority_classes:
            yield Named("workload priorities", name, what, pool.path)
        yield Named("pod priorities", pool.pod_priority_class, what, pool.path)
