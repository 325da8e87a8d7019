"""What a change does on a cluster, by the components' own behaviour (data/effects-*.yaml). Read by `gpuplan plan` alone."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table

FILES = ("effects-queues.yaml", "effects-nodes.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectFact:
    """How components act on a kind of change; `id` is stable and reads `area/name`."""

    id: str
    title: str
    """What happens, in a few words."""
    does: str
    """What happens on the cluster and what does not, in full sentences."""
    source: str
    checked: dt.date


@functools.cache
def read() -> Mapping[str, EffectFact]:
    """Read the facts, by id. An id in two files raises ValueError."""
    rows = [_fact(row) for name in FILES for row in Table(name).rows("effects")]
    found = {fact.id: fact for fact in rows}
    if len(found) < len(rows):
        raise ValueError("an effect has two rows")
    return MappingProxyType(found)


def _fact(row: Row) -> EffectFact:
    provenance = row.provenance
    return EffectFact(
        id=row.key,
        title=row.text("title"),
        does=row.text("does"),
        source=provenance.source,
        checked=provenance.checked,
    )
