"""Where the upgrade of a component has to stop on its way (data/upgrades.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A minor of a component that no upgrade should jump over; `summary` says what is done there."""

    name: str
    component: str
    at: Version
    summary: str
    source: str
    checked: dt.date

    def lies_between(self, old: Version, new: Version) -> bool:
        """Tell whether an upgrade from `old` to `new` jumps over it."""
        return old.minor < self.at.minor < new.minor


def read() -> Mapping[str, Stop]:
    """Read the stops, by name."""
    return MappingProxyType({row.key: _stop(row) for row in Table("upgrades.yaml").rows("stops")})


def _stop(row: Row) -> Stop:
    provenance = row.provenance
    return Stop(
        name=row.key,
        component=row.text("component"),
        at=row.version("at"),
        summary=row.text("summary"),
        source=provenance.source,
        checked=provenance.checked,
    )
