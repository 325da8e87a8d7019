"""What a look for drift finds, as plain data."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gpuplan.cluster.drifting import Name
from gpuplan.compare import Change
from gpuplan.drift.owners import Owner


class Fate(enum.Enum):
    """What is wrong with an object."""

    MISSING = "missing"
    CHANGED = "changed"
    FOREIGN = "foreign"
    """It is not in the rendered tree, and acts in what is."""
    DELETING = "deleting"
    """Somebody has deleted it, and a finalizer still holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A value that is not as rendered: `change` leads from the rendered value (old) to the live one (new)."""

    change: Change
    owners: tuple[Owner, ...]
    """Who owns it, the last writer first; nobody where it was taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An object that is not as it was rendered."""

    object: Name
    fate: Fate
    file: str = ""
    """Its file below the rendered tree; empty for a foreign one."""
    why: str = ""
    """A sentence without a period; empty where the differences say all."""
    differences: tuple[Difference, ...] = ()
    by: tuple[Owner, ...] = ()
    """Of a foreign object: everybody who wrote it, the last one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A difference that is meant to be possible, such as an emergency stop of a queue."""

    object: Name
    difference: Difference
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """What could not be looked at, or only in part: an object, or all of a kind (without a name)."""

    object: Name
    what: str
    """What is not known of it."""
    why: str
    """The server's words, or ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of one look."""

    looked: int
    """Rendered objects that were read, or found missing."""
    tried: int
    """Those of them whose apply the server tried."""
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    unseen: tuple[Unseen, ...]

    @property
    def partial(self) -> bool:
        """Whether there may be more than was found."""
        return bool(self.unseen)
