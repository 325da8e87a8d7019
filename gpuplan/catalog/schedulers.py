"""Other batch schedulers, by the API groups of their objects (data/schedulers.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """An API group of a program that queues or places pods in Kueue's stead."""

    group: str
    program: str
    kinds: Mapping[str, str]
    """What a kind's part is in a fleet or in Kueue, for those that have one."""
    source: str
    checked: dt.date


def read() -> Mapping[str, Scheduler]:
    """Read every API group, by its name."""
    return MappingProxyType(
        {
            row.key: Scheduler(
                group=row.key,
                program=row.text("program"),
                kinds=MappingProxyType(dict(row.mapping("kinds"))),
                source=row.provenance.source,
                checked=row.provenance.checked,
            )
            for row in Table("schedulers.yaml").rows("schedulers")
        }
    )
