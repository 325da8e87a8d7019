"""XID errors by what to do about them (data/xid.yaml); a code in no class is too new: warn, never drain."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table


class Reaction(enum.Enum):
    """What an XID calls for; the value is the spelling in the data."""

    DRAIN = "drain"
    """The node must leave service."""
    PROGRAM = "program"
    """A program failed: its team is told, and the GPU stays in service."""
    NONE = "none"
    """Nothing by itself."""
    UNKNOWN = "unknown"
    """Too new for the catalogue that the table was made from, as a code of no class is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XidClass:
    """A class of XID codes that call for one reaction."""

    name: str
    summary: str
    action: str
    reaction: Reaction
    codes: tuple[int, ...]
    source: str
    checked: dt.date


def read() -> Mapping[str, XidClass]:
    """Read the classes, by name."""
    return MappingProxyType({row.key: _xid_class(row) for row in Table("xid.yaml").rows("classes")})


def judged(
    classes: Mapping[str, XidClass], drain: Iterable[int] = (), ignore: Iterable[int] = ()
) -> Mapping[Reaction, tuple[int, ...]]:
    """Return the codes for each reaction, sorted, by the catalogue and a fleet's own judgement of some.

    A code in both of the fleet's lists drains. What stands nowhere is unknown, too.
    """
    by_code = {code: row.reaction for row in classes.values() for code in row.codes}
    by_code |= dict.fromkeys(ignore, Reaction.NONE) | dict.fromkeys(drain, Reaction.DRAIN)
    return {
        reaction: tuple(sorted(code for code, chosen in by_code.items() if chosen is reaction)) for reaction in Reaction
    }


def _xid_class(row: Row) -> XidClass:
    provenance = row.provenance
    return XidClass(
        name=row.key,
        summary=row.text("summary"),
        action=row.text("action"),
        reaction=Reaction(row.text("reaction")),
        codes=tuple(sorted(code for part in row.texts("codes") for code in _codes(part))),
        source=provenance.source,
        checked=provenance.checked,
    )


def _codes(part: str) -> range:
    """Expand `39-41`, or one code."""
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)
