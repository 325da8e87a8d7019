"""Kueue's objects and priority classes as they are: entries of `adopted:`.

Their meaning stays to the letter, null and empty apart. Only what is no part of it goes: the marks of tools and of the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan.importer.draft import Entry
from gpuplan.importer.modern import GROUP, modern
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object

KINDS: Mapping[str, str] = {
    "ResourceFlavor": "resourceFlavors",
    "Topology": "topologies",
    "Cohort": "cohorts",
    "ClusterQueue": "clusterQueues",
    "LocalQueue": "localQueues",
    "WorkloadPriorityClass": "workloadPriorityClasses",
    "PriorityClass": "priorityClasses",
}
"""Kinds that can stay as they are, and their key under `adopted.<cluster>`."""
_WITHOUT_SPEC = ("WorkloadPriorityClass", "PriorityClass")
_OWN = ("apiVersion", "kind", "metadata")
_LEFT_TO_PEOPLE = {"ClusterQueue": ("stopPolicy",), "LocalQueue": ("stopPolicy",)}
"""A Hold is an emergency of a person's, and no part of the spec."""
SYSTEM_CLASSES = ("system-cluster-critical", "system-node-critical")


def adoptable(one: Object) -> bool:
    """Tell whether an object can stay as it is."""
    if one.kind not in KINDS or not one.name or one.name in SYSTEM_CLASSES:
        return False
    return one.api_version.startswith(GROUP) or (one.kind == "PriorityClass" and one.group == "scheduling.k8s.io")


def adopted(cluster: str, inventory: Inventory, teams: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each object that stays. `teams` are the teams of ClusterQueues, by the queue's name."""
    for kind, key in KINDS.items():
        for one in inventory.of(kind):
            if adoptable(one):
                value = body(one)
                if kind == "ClusterQueue" and one.name in teams:
                    value = {"team": teams[one.name], **value}
                yield Entry(section=("adopted", cluster, key), name=_name(one), value=value, notes=_notes(one))


def body(one: Object) -> dict[str, Any]:
    """Return what an object says, without its names."""
    data = one.data if isinstance(one.data, Mapping) else {}
    made = modern(data)
    said = (
        {key: value for key, value in made.items() if key not in _OWN}
        if one.kind in _WITHOUT_SPEC
        else made.get("spec")
    )
    if not isinstance(said, Mapping):
        return {}
    dropped = _LEFT_TO_PEOPLE.get(one.kind, ())
    kept = {str(key): value for key, value in said.items() if key not in dropped}
    return {"value": 0, **kept} if one.kind == "PriorityClass" else kept


def _name(one: Object) -> str:
    return f"{one.namespace or 'default'}/{one.name}" if one.kind == "LocalQueue" else one.name


def _notes(one: Object) -> tuple[str, ...]:
    if one.kind == "ClusterQueue" and not one.spec["namespaceSelector"].exists:
        return ("No namespaceSelector: nobody may submit here, and others borrow what it has.",)
    if one.kind == "LocalQueue" and not one.namespace:
        return ("The file names no namespace: default is taken.",)
    stop = one.spec["stopPolicy"].text("None")
    if one.kind in _LEFT_TO_PEOPLE and stop != "None":
        return (f"It is stopped now ({stop}); gpuplan leaves that to people.",)
    return ()
