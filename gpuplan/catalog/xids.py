"""XID errors by what to do about them (data/xid.yaml); a code in no class is too new: warn, never drain."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class XidClass:
    """A class of XID codes that call for one reaction. `drains` tells whether the node must leave service."""

    name: str
    summary: str
    action: str
    drains: bool
    codes: tuple[int, ...]
    source: str
    checked: dt.date


def read() -> Mapping[str, XidClass]:
    """Read the classes, by name."""
    return MappingProxyType({row.key: _xid_class(row) for row in Table("xid.yaml").rows("classes")})


def _xid_class(row: Row) -> XidClass:
    provenance = row.provenance
    return XidClass(
        name=row.key,
        summary=row.text("summary"),
        action=row.text("action"),
        drains=row.flag("drains"),
        codes=tuple(sorted(code for part in row.texts("codes") for code in _codes(part))),
        source=provenance.source,
        checked=provenance.checked,
    )


def _codes(part: str) -> range:
    """Expand `39-41`, or one code."""
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)
