"""gpuplan's own output back into a spec: teams, task pools and quotas rather than queues that stay as they are.

What the spec says of pools, teams and queues stands in constant series (`gpuplan_pool_info` and its like), numbers stand in
Kueue's objects, and how nodes are found in the rules of Node Feature Discovery and in the agents. What no object holds, such
as the kind of a task pool's work and its largest job, is listed in docs/import.md.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gpuplan import catalog
from gpuplan.conventions import LABEL_MANAGED_BY, MANAGED_BY, application_name
from gpuplan.importer import counting
from gpuplan.importer.draft import Draft, Entry
from gpuplan.importer.own import names
from gpuplan.importer.own.demand import demand
from gpuplan.importer.own.hardware import hardware
from gpuplan.importer.own.series import said
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.resolve import resolve
from gpuplan.source.yamltext import parse_text
from gpuplan.spec.load import load

__all__ = ["fleet_name", "is_hub", "is_ours", "lift", "root_name"]

_OF_FLEET = re.compile(r"GPU fleet (\S+)$")


def is_ours(inventory: Inventory) -> bool:
    """Tell whether a cluster holds gpuplan's own output: a rule of ours has facts of pools, or of a cluster without any."""
    return any(one.labels.get(LABEL_MANAGED_BY) == MANAGED_BY for one in inventory.of("PrometheusRule"))


def is_hub(name: str, inventory: Inventory) -> bool:
    """Tell whether all that was found under a name is Argo CD's: projects, and no Application of a cluster of that name."""
    of_cluster = any(one.name == application_name(name) for one in inventory.of("Application"))
    return any(inventory.of("AppProject")) and not is_ours(inventory) and not of_cluster


def root_name(inventories: Iterable[Inventory]) -> str:
    """Return the name of the root cohort, empty where there is none."""
    for inventory in inventories:
        for cohort in inventory.of("Cohort"):
            if cohort.name and not cohort.spec["parentName"].exists:
                return cohort.name
    return ""


def fleet_name(inventories: Iterable[Inventory]) -> str:
    """Return the name of the fleet as its AppProject tells it, empty where none does."""
    for inventory in inventories:
        for project in inventory.of("AppProject"):
            match = _OF_FLEET.search(project.spec["description"].text())
            if match and project.labels.get(LABEL_MANAGED_BY) == MANAGED_BY:
                return match[1]
    return ""


def lift(
    inventories: Mapping[str, Inventory], clusters: Iterable[Entry], fleet: str, today: datetime.date
) -> tuple[Entry, ...]:
    """Return the entries of clusters that gpuplan has rendered. `clusters` are their entries of `clusters:`."""
    known = {name: said(inventory) for name, inventory in inventories.items()}
    machines = _once(
        entry for name, inventory in inventories.items() for entry in hardware(name, inventory, known[name])
    )
    machines = (*machines, *names.of_hardware(inventories, known))
    resolved = _resolved(Draft(fleet=fleet, entries=(*clusters, *machines)), today)
    if resolved is None:
        return machines
    machines = (*machines, *counting.of_own_output(inventories, resolved))
    flavors = {cluster.name: cluster.flavors for cluster in resolved.clusters}
    asked = demand(inventories, known, {name: flavors.get(name, ()) for name in inventories})
    return (*machines, *asked, *names.of_demand(inventories, known, fleet, root_name(inventories.values())))


def _once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries, the cards of one tier joined over the clusters."""
    kept: dict[tuple[tuple[str, ...], str], Entry] = {}
    for entry in entries:
        before = kept.setdefault((entry.section, entry.name), entry)
        if before is not entry and isinstance(before.value, dict) and isinstance(entry.value, dict):
            cards = list(dict.fromkeys([*before.value.get("cards", ()), *entry.value.get("cards", ())]))
            kept[entry.section, entry.name] = replace(
                before, value={**before.value, **({"cards": cards} if cards else {})}
            )
    return tuple(kept.values())


def _resolved(draft: Draft, today: datetime.date) -> Fleet | None:
    """Return the drafted hardware as a fleet, for its flavors and counters; None where it has mistakes."""
    loaded, _ = load(parse_text("hardware", draft.text()).documents)
    return resolve(loaded, catalog.load(), today)[0] if loaded is not None else None
