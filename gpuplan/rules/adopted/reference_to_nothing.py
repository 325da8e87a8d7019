"""An adopted object that names another one, which is neither adopted nor the fleet's.

Kueue takes such an object and leaves it inactive: a ClusterQueue without its flavor admits nothing, a LocalQueue without its
ClusterQueue holds its jobs, a flavor without its Topology keeps the queues that use it inactive. It may be in the cluster
already, where gpuplan does not see it; so this is a warning. Cohorts need no object: Kueue makes one of any name that it meets.

Source: Kueue, status of ClusterQueues and LocalQueues (FlavorNotFound, ClusterQueueDoesNotExist, TopologyNotFound).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, KeyPath, Severity
from gpuplan.model.adopted import AdoptedObject
from gpuplan.model.adopted_quota import in_words
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="adopted/reference-to-nothing",
    severity=Severity.WARNING,
    summary="An adopted object that names something which the fleet does not hold",
    why="Unless somebody else made it in the cluster, Kueue leaves the object inactive: nothing is admitted through it.",
    fix="Adopt the other object, too, or correct the name.",
    bad="adopted:\n  eu:\n    localQueues: {vision/default-queue: {clusterQueue: vison}}\n    clusterQueues: {vision: {}}",
    good="adopted:\n  eu:\n    localQueues: {vision/default-queue: {clusterQueue: vision}}\n    clusterQueues: {vision: {}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor, topology and ClusterQueue that is named and not there."""
    for cluster in fleet.clusters:
        present = _present(cluster) if cluster.adopted.objects else {}
        for one in cluster.adopted.objects:
            for kind, name, path in _named(one):
                if name not in present[kind]:
                    yield _finding(fleet, one, kind, name, path, present[kind])


def _finding(
    fleet: Fleet, one: AdoptedObject, kind: str, name: str, path: KeyPath, present: Iterable[str]
) -> Diagnostic:
    guess = nearest(name, present)
    return DOC.found(
        f"The {in_words(one)} names {kind} `{name}`, which is neither adopted nor the fleet's",
        at=fleet.places.value(path),
        fix=f"Write `{guess}`, or adopt `{name}`, too." if guess else None,
    )


def _present(cluster: Cluster) -> Mapping[str, frozenset[str]]:
    flavors = cluster.flavors if cluster.own_quota else ()
    queues = (queue.name for cohort in cluster.cohorts for queue in cohort.queues)
    return {
        "ResourceFlavor": cluster.adopted.names("ResourceFlavor").union(flavor.name for flavor in flavors),
        "Topology": cluster.adopted.names("Topology").union(flavor.topology for flavor in flavors if flavor.levels),
        "ClusterQueue": cluster.adopted.names("ClusterQueue").union(queues),
    }


def _named(one: AdoptedObject) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield (kind, name, place) of what an object names."""
    for index, group in enumerate(one.groups):
        for number, flavor in enumerate(group["flavors"]):
            path = (*one.path, "resourceGroups", index, "flavors", number, "name")
            yield "ResourceFlavor", flavor["name"], path
    for key, kind in (("topologyName", "Topology"), ("clusterQueue", "ClusterQueue")):
        if key in one.spec:
            yield kind, one.spec[key], (*one.path, key)
