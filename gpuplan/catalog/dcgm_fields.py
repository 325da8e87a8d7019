"""Every name of DCGM's fields, and what is known of each by whatever name it is written (data/dcgm-fields.yaml).

Apart from the catalogue's other tables, since only lint asks for it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Table
from gpuplan.catalog.metrics import Exporter, Metric


@dataclass(frozen=True, slots=True)
class DcgmFields:
    """`ids` are DCGM's numbers by name; `own` the names of counters that the exporter makes itself."""

    ids: Mapping[str, int]
    aliases: Mapping[int, tuple[str, ...]]
    """The names of each number."""
    units: Mapping[int, str]
    """By number, for fields without a row in the table of metrics."""
    own: frozenset[str]
    unsettled: frozenset[str]
    """New names whose unit nobody has read."""

    def knows(self, name: str) -> bool:
        """Tell whether the exporter accepts a name in its list."""
        return name in self.ids or name in self.own

    @property
    def names(self) -> frozenset[str]:
        """Every name."""
        return frozenset(self.ids) | self.own


@functools.cache
def load() -> DcgmFields:
    """Read the table; the second call returns the same object."""
    table = Table("dcgm-fields.yaml")
    ids = {name: int(number) for row in table.rows("fields") for name, number in row.mapping("ids").items()}
    units = {number: row.key for row in table.rows("units") for number in row.wholes("fields")}
    own = {name for row in table.rows("exporter") for name in row.texts("names")}
    unsettled = {name for row in table.rows("unsettled") for name in row.texts("names")}
    aliases: dict[int, tuple[str, ...]] = {}
    for name, number in ids.items():
        aliases[number] = (*aliases.get(number, ()), name)
    return DcgmFields(
        ids=MappingProxyType(ids),
        aliases=MappingProxyType(aliases),
        units=MappingProxyType(units),
        own=frozenset(own),
        unsettled=frozenset(unsettled),
    )


def described(name: str, metrics: Mapping[str, Metric]) -> Metric | None:
    """Return the row that tells of a field, whichever of its names is asked for; None where no row does."""
    fields = load()
    for alias in (name, *fields.aliases.get(fields.ids.get(name, -1), ())):
        row = metrics.get(alias)
        if row is not None and row.exporter is Exporter.DCGM:
            return row
    return None
