"""Lists of DCGM counters -> `monitoring.exporter`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from gpuplan.catalog.metrics import PROFILING_PREFIX
from gpuplan.emit.counters import collected
from gpuplan.importer.draft import Entry
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.exported import lists
from gpuplan.model.fleet import Fleet

SECTION = ("monitoring", "exporter")
EXACT_NOTE = "The list that is there, as it stands: alerts on fields that it lacks are not rendered (`gpuplan check` names them)."
SEVERAL_NOTE = "Several lists are there, and the spec has one: this is all of them together."
FOREIGN_NOTE = "No names of DCGM fields, and left out: {names}."
_FIELD = re.compile(r"DCGM_(FI|EXP)_[A-Z0-9_]+")


def named(inventory: Inventory) -> list[frozenset[str]]:
    """Return the names in each list of counters of a cluster."""
    found = (frozenset(record.name for record in one.counters.records) for one in lists(inventory))
    return [names for names in found if names]


def of_others(inventories: Iterable[Inventory]) -> Iterator[Entry]:
    """Yield the counters that lists of others name, exactly."""
    every = [names for inventory in inventories for names in named(inventory)]
    together = frozenset[str]().union(*every)
    fields = sorted(name for name in together if _FIELD.fullmatch(name))
    if not fields:
        return
    notes = [EXACT_NOTE]
    if len(set(every)) > 1:
        notes.append(SEVERAL_NOTE)
    if len(fields) < len(together):
        notes.append(FOREIGN_NOTE.format(names=", ".join(sorted(together.difference(fields)))))
    yield Entry(section=SECTION, name="counters", value=fields, notes=tuple(notes))


def of_own_output(inventories: Mapping[str, Inventory], fleet: Fleet) -> Iterator[Entry]:
    """Yield how the counters that gpuplan has rendered differ from those that it renders unasked.

    `fleet` has the hardware and says nothing of monitoring.
    """
    usual = {cluster.name: frozenset(collected(fleet, cluster)) for cluster in fleet.clusters}
    there = {name: made[0] for name, inventory in inventories.items() if (made := named(inventory)) and name in usual}
    if not there:
        return
    profiling = any(one.startswith(PROFILING_PREFIX) for names in there.values() for one in names)
    wanted = {name: _without_profiling(usual[name]) if not profiling else usual[name] for name in there}
    if any(wanted[name] - names for name, names in there.items()):
        every = sorted(frozenset[str]().union(*there.values()))
        yield Entry(section=SECTION, name="counters", value=every, notes=(EXACT_NOTE,))
        return
    if not profiling and any(names != _without_profiling(names) for names in (usual[name] for name in there)):
        yield Entry(section=SECTION, name="profiling", value=False)
    extra = sorted({one for name, names in there.items() for one in names - wanted[name]})
    if extra:
        yield Entry(section=SECTION, name="extraCounters", value=extra)


def _without_profiling(names: frozenset[str]) -> frozenset[str]:
    return frozenset(one for one in names if not one.startswith(PROFILING_PREFIX))
