"""Two parts of the spec that make one name.

gpuplan joins names with a hyphen, and names may hold hyphens: team `a-b` in task pool `c` and team `a` in task pool
`b-c` are both ClusterQueue `a-b-c`. One object would overwrite the other. Cohorts are named after task pools, under a
root named after the fleet, and Kueue's tree has one namespace of names for them.

Source: Kubernetes object identity; gpuplan's names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuplan.diagnostics import Diagnostic, KeyPath, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="names/collision",
    severity=Severity.ERROR,
    summary="Two parts of the spec that make one name",
    why="Two objects of one name are one object to Kubernetes: the second would overwrite the first.",
    fix="Rename one of the two.",
    bad="teams:\n  a-b: {quotas: {c: {}}}\n  a: {quotas: {b-c: {}}}",
    good="teams:\n  ab: {quotas: {c: {}}}\n  a: {quotas: {b-c: {}}}",
)


class Named(NamedTuple):
    """A name in the space of names of its kind, and the place in the spec that it follows from."""

    space: str
    name: str
    what: str
    path: KeyPath


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each name that another object of the same cluster has, at the later of the two places."""
    for cluster in fleet.clusters:
        bearers: dict[tuple[str, str], dict[KeyPath, Named]] = {}
        for named in _named(fleet, cluster):
            bearers.setdefault((named.space, named.name), {})[named.path] = named
        for same in bearers.values():
            if len(same) > 1:
                first, *others = sorted(same.values(), key=lambda named: fleet.places.key(named.path))
                for other in others:
                    yield DOC.found(
                        f"`{other.name}` would be the name of {other.what} and of {first.what}",
                        at=fleet.places.key(other.path),
                        also=(Related(f"makes {first.what}", fleet.places.key(first.path)),),
                    )


def _named(fleet: Fleet, cluster: Cluster) -> Iterator[Named]:
    """Yield names of the quota tree, flavors and topologies; in the tree queues and cohorts share one space."""
    yield Named("quota tree", fleet.name, "the root cohort", ("metadata", "name"))
    for cohort in cluster.cohorts:
        task_pool = cohort.task_pool
        yield Named("quota tree", task_pool.name, f"the cohort of task pool `{task_pool.name}`", task_pool.path)
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            what = f"the queue of team `{queue.team.name}` in `{cohort.task_pool.name}`"
            yield Named("quota tree", queue.name, what, queue.path)
    for flavor in cluster.flavors:
        yield Named("flavors", flavor.name, f"the flavor of pool `{flavor.pools[0].name}`", flavor.pools[0].path)
    for flavor in cluster.flavors:
        if flavor.levels:
            yield Named("topologies", flavor.topology, f"the topology of tier `{flavor.tier.name}`", flavor.tier.path)
