"""In which order the stack is upgraded, what restarts then, and how long the way back is open (data/upgrade-steps.yaml).

Read by `gpuplan upgrade` alone.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the stack that is upgraded by itself: the components that move together.

    `stack` is the one on which it is a part, empty for both; `after` names parts that must have gone before.
    """

    name: str
    place: int
    title: str
    stack: str
    components: tuple[str, ...]
    after: tuple[str, ...]
    reason: str
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """What restarts when a part moves. `on` names the pools, or the cluster; `fact` is the id of an effect.

    `survives` tells whether pods that hold cards run on.
    """

    name: str
    part: str
    on: str
    pods: str
    survives: bool
    fact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback:
    """How one goes back, and until when; `one_way` tells that there is no way back once the step has begun."""

    name: str
    until: str
    back: str
    one_way: bool
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeSteps:
    """The parts in their order, and the other tables by name."""

    order: Mapping[str, Part]
    restarts: Mapping[str, Restart]
    rollback: Mapping[str, Rollback]


@functools.cache
def read() -> UpgradeSteps:
    """Read the tables. A part that comes before one that it needs raises ValueError."""
    table = Table("upgrade-steps.yaml")
    parts = sorted(map(_part, table.rows("order")), key=lambda part: part.place)
    order = {part.name: part for part in parts}
    for part in parts:
        if any(order[name].place >= part.place for name in part.after):
            raise ValueError(f"{part.name} comes before a part that it needs")
    return UpgradeSteps(
        order=MappingProxyType(order),
        restarts=MappingProxyType({row.key: _restart(row) for row in table.rows("restarts")}),
        rollback=MappingProxyType({row.key: _rollback(row) for row in table.rows("rollback")}),
    )


def _part(row: Row) -> Part:
    provenance = row.provenance
    return Part(
        name=row.key,
        place=row.whole("place"),
        title=row.text("title"),
        stack=row.text("stack", ""),
        components=row.texts("components"),
        after=row.texts("after"),
        reason=row.text("reason"),
        source=provenance.source,
        checked=provenance.checked,
    )


def _restart(row: Row) -> Restart:
    return Restart(
        name=row.key,
        part=row.text("part"),
        on=row.text("on"),
        pods=row.text("pods"),
        survives=row.flag("survives"),
        fact=row.text("fact"),
    )


def _rollback(row: Row) -> Rollback:
    provenance = row.provenance
    return Rollback(
        name=row.key,
        until=row.text("until"),
        back=row.text("back"),
        one_way=row.flag("oneWay"),
        source=provenance.source,
        checked=provenance.checked,
    )
