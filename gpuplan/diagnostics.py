"""Findings as data: what is wrong, how bad, where in `fleet/`, and what to do about it.

Every phase returns findings; none raises them. An exception is a fault of gpuplan itself.
This module imports nothing of ours, so that every layer may use it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

KeyPath = tuple[str | int, ...]
"""Where a value sits in the spec: map keys and list indexes from the root, e.g. `("nodePools", "h100-a", "nodes")`."""


class Severity(enum.Enum):
    """How bad a finding is. Only errors stop a render."""

    ERROR = "error"
    """A cluster would refuse the output, or would silently not do what the spec says."""
    WARNING = "warning"
    """Likely wrong, or wrong by a fact that the catalogue marks as unchecked."""
    INFO = "info"
    """Worth knowing; nothing has to change."""

    @property
    def rank(self) -> int:
        """Sort key: errors first."""
        return ("error", "warning", "info").index(self.value)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text. Lines and columns count from 1; the end is exclusive, as editors show it."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Origin:
    """The place in the spec that a resolved object came from: its path and the span of its key."""

    path: KeyPath
    span: Span


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """The other place in a conflict, and its part in it (`first defined here`)."""

    message: str
    at: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding.

    `rule` is the stable id `area/name`; `summary` is one line without a final period and names the values at fault;
    `detail` says why it matters on a real cluster; `fix` says what to write instead.
    """

    rule: str
    severity: Severity
    summary: str
    at: Span
    detail: str = ""
    also: tuple[Related, ...] = ()
    fix: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """Findings read in the order of the files, errors before warnings on one line."""
        return (self.at.file, self.at.line, self.at.column, self.severity.rank, self.rule, self.summary)


Diagnostics = tuple[Diagnostic, ...]


def ordered(found: Iterable[Diagnostic]) -> Diagnostics:
    """Return the findings without repeats, in the order of `Diagnostic.sort_key`."""
    return tuple(sorted(dict.fromkeys(found), key=lambda d: d.sort_key))


def has_errors(found: Iterable[Diagnostic]) -> bool:
    """Tell whether any of the findings stops a render."""
    return any(d.severity is Severity.ERROR for d in found)
