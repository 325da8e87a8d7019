"""Names that objects have where gpuplan's own scheme would give others: `names:`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan import conventions
from gpuplan.importer.draft import Entry
from gpuplan.importer.own.flavors import bare_name, flavors, revisions
from gpuplan.importer.own.series import QueueSaid, Said
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.model.queues import BAND_MIDDLE, Service, band

Names = dict[str, dict[str, str]]
"""Names in use by those of the scheme, by the keys of `names:`."""


def of_hardware(inventories: Mapping[str, Inventory], known: Mapping[str, Said]) -> Iterator[Entry]:
    """Yield the names of flavors and topologies that are not the scheme's."""
    found: Names = {"flavors": {}, "topologies": {}}
    for cluster, inventory in inventories.items():
        made = flavors(inventory, known[cluster])
        numbers = revisions(made)
        for one, flavor in made.items():
            number = numbers[one]
            found["flavors"][conventions.revised(bare_name(one), number)] = flavor.name
            topology = flavor.spec["topologyName"].text()
            if topology:
                found["topologies"][conventions.topology_name(one[0], number)] = topology
    return _entries(found)


def of_demand(
    inventories: Mapping[str, Inventory], known: Mapping[str, Said], fleet: str, root: str
) -> Iterator[Entry]:
    """Yield the names of queues, cohorts and classes that are not the scheme's. `root` is the cohort above all."""
    found: Names = {key: {} for key in ("clusterQueues", "cohorts", "localQueues")}
    for cluster, inventory in inventories.items():
        for queue in known[cluster].queues:
            made = inventory.find("ClusterQueue", queue.name)
            if made is None:
                continue
            found["clusterQueues"][conventions.cluster_queue_name(queue.team, queue.task_pool)] = queue.name
            found["cohorts"][queue.task_pool] = made.spec["cohortName"].text() or queue.task_pool
            for local in _locals(inventory, queue):
                found["localQueues"][queue.task_pool] = local.name
    found |= _classes(inventories.values(), _services(inventories, known))
    if root and root != fleet:
        yield Entry(section=("names",), name="rootCohort", value=root)
    yield from _entries(found)


def task_pools(inventories: Mapping[str, Inventory], known: Mapping[str, Said]) -> dict[str, str]:
    """Return the task pool of each cohort that has queues in some cluster."""
    made = (
        (queue.task_pool, inventory.find("ClusterQueue", queue.name))
        for cluster, inventory in inventories.items()
        for queue in known[cluster].queues
    )
    return {queue.spec["cohortName"].text(): pool for pool, queue in made if queue is not None}


def _locals(inventory: Inventory, queue: QueueSaid) -> Iterator[Object]:
    return (one for one in inventory.of("LocalQueue") if one.spec["clusterQueue"].text() == queue.name)


def _services(inventories: Mapping[str, Inventory], known: Mapping[str, Said]) -> frozenset[Service]:
    """Return the service classes of the task pools that come back: those with queues, and shared ones with cards of their own."""
    named = {queue.service for one in known.values() for queue in one.queues}
    cohorts = [cohort for inventory in inventories.values() for cohort in inventory.of("Cohort")]
    shares = any(one.spec["parentName"].exists and one.spec["resourceGroups"].exists for one in cohorts)
    return frozenset(one for one in Service if one.value in named or (shares and one is Service.SHARED))


def _classes(inventories: Iterable[Inventory], services: frozenset[Service]) -> Names:
    """Return the names of priority classes: each service class and level has a number of its own."""
    of_work = {value: name for service in services for name, value in band(service).items()}
    of_pods = {BAND_MIDDLE[one]: conventions.pod_priority_class_name(one.value) for one in services}
    found: Names = {}
    for inventory in inventories:
        for kind, key, scheme in (
            ("WorkloadPriorityClass", "workloadPriorityClasses", of_work),
            ("PriorityClass", "priorityClasses", of_pods),
        ):
            for one in inventory.of(kind):
                usual = scheme.get(one.root["value"].number() or 0)
                if usual and one.labels.get(conventions.LABEL_MANAGED_BY) == conventions.MANAGED_BY:
                    found.setdefault(key, {})[usual] = one.name
    return found


def _entries(found: Names) -> Iterator[Entry]:
    for key, names in found.items():
        others = {usual: name for usual, name in names.items() if name != usual}
        if others:
            yield Entry(section=("names",), name=key, value=others)
