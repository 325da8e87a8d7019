"""How node labels other than NVIDIA's product name cards (data/spellings.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """One label: what its values stand for."""

    label: str
    cards: Mapping[str, str]
    """Value -> the name of a card."""
    unchecked: frozenset[str]
    """Keys of the row that nobody has read at its source."""
    source: str
    checked: dt.date


def read() -> Mapping[str, Spelling]:
    """Read every label."""
    return MappingProxyType(
        {
            row.key: Spelling(
                label=row.key,
                cards=row.mapping("cards"),
                unchecked=row.unchecked,
                source=row.provenance.source,
                checked=row.provenance.checked,
            )
            for row in Table("spellings.yaml").rows("spellings")
        }
    )
