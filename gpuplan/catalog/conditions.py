"""Conditions of nodes by which others' agents say that cards are broken (data/conditions.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCondition:
    """A condition's type, the status that says that a card is broken, and who sets it."""

    name: str
    broken: bool
    agent: str
    distributions: tuple[str, ...]
    """Those whose own agent it is; none for an agent that anybody can install."""
    source: str
    checked: dt.date


def read() -> Mapping[str, NodeCondition]:
    """Read every known condition, by its type."""
    return MappingProxyType(
        {
            row.key: NodeCondition(
                name=row.key,
                broken=row.flag("broken"),
                agent=row.text("agent"),
                distributions=row.texts("distributions"),
                source=row.provenance.source,
                checked=row.provenance.checked,
            )
            for row in Table("conditions.yaml").rows("conditions")
        }
    )
