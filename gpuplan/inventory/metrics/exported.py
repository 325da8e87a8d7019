"""Which fields of DCGM an exporter gives out, as far as an inventory tells."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.catalog import Exporter
from gpuplan.diagnostics import Span
from gpuplan.inventory.cards.operator import COUNTERS, operators
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.metrics import counters
from gpuplan.inventory.metrics.counters import CounterList
from gpuplan.inventory.view import View

_LIST_VARIABLE = "DCGM_EXPORTER_COLLECTORS"
LABEL = "label"
"""Type of a field that becomes a label of every other series instead of a series of its own."""
DEFAULT = "default"
"""`--assume counters=default`."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of counters with its place."""

    view: View
    counters: CounterList

    def at(self, line: int) -> Span:
        """Return where a line of the list stands; lines count from 1."""
        lines = self.view.text().replace("\r\n", "\n").split("\n")
        return self.view.inside(sum(len(one) + 1 for one in lines[: line - 1]))


@dataclass(frozen=True, slots=True)
class Exported:
    """The names that come out, and in words where this is known from."""

    names: frozenset[str]
    known_from: str


@once
def lists(inventory: Inventory) -> tuple[Listed, ...]:
    """Return every list of counters: files, keys of ConfigMaps, and texts in charts."""
    return tuple(map(_listed, inventory.configs_of(Format.COUNTERS)))


def _listed(config: Config) -> Listed:
    return Listed(config.root, counters.read(config.root.text()))


@once
def exported(inventory: Inventory) -> Exported | None:
    """Return what comes out of the exporters; None where nobody says which list they have.

    A list takes the place of the exporter's own. Where the operator names one, it is that; of several lists otherwise nobody
    knows which node has which, and all their names count.
    """
    found = tuple(map(_listed, _used(tuple(inventory.configs_of(Format.COUNTERS)), inventory)))
    if found:
        names = frozenset(one.name for listed in found for one in listed.counters.records if one.type != LABEL)
        own = default_names(inventory) if _runs_default(inventory) else frozenset()
        return Exported(names | own, f"the {'list' if len(found) == 1 else 'lists'} of counters beside it")
    if inventory.assumed.counters == DEFAULT or (_runs_default(inventory) and not inventory.assumed.partial):
        return Exported(default_names(inventory), "the exporter's own list of counters")
    return None


def _used(found: tuple[Config, ...], inventory: Inventory) -> tuple[Config, ...]:
    wanted = {one.config(COUNTERS).name for one in operators(inventory)} - {""}
    named = tuple(one for one in found if isinstance(one.holder, Object) and one.holder.name in wanted)
    return named or found


def default_names(inventory: Inventory) -> frozenset[str]:
    """Return the names in the exporter's own list."""
    rows = inventory.catalog.metrics.values()
    return frozenset(row.name for row in rows if row.in_default and row.exporter is Exporter.DCGM and row.type != LABEL)


def _runs_default(inventory: Inventory) -> bool:
    """Tell whether an operator or a chart is told of the exporter, and of no list for it."""
    for one in operators(inventory):
        exporter = one.root[COUNTERS]
        runs = exporter.is_mapping and exporter["enabled"].flag(otherwise=True)
        if runs and not one.config(COUNTERS).name and not _names_list(exporter["env"]):
            return True
    return inventory.assumed.counters == DEFAULT


def _names_list(env: View) -> bool:
    return any(one["name"].text() == _LIST_VARIABLE for one in env.items())
