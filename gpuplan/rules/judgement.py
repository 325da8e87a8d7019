"""What a judgement is: a fact of the catalogue about two things going together, for rules and for `gpuplan compat` alike.

Rules turn some judgements into findings; `gpuplan compat` shows all of them. They are made in `judge_cluster` and
`judge_driver`.
"""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from typing import Protocol

from gpuplan.diagnostics import Severity


class Verdict(enum.Enum):
    """How two things go together."""

    OK = "ok"
    WARN = "warn"
    """Nobody has tried it, or support has ended, or it fails by a fact that nobody has read at its source."""
    BAD = "bad"
    """It fails."""
    UNKNOWN = "unknown"
    """The catalogue says nothing, or others see to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One cell of the matrix: what is judged, what the fleet has, what is known, and who says so."""

    aspect: str
    verdict: Verdict
    here: str
    known: str
    source: str = ""
    checked: datetime.date | None = None

    @property
    def fails(self) -> bool:
        """Whether there is something to say against it."""
        return self.verdict in (Verdict.WARN, Verdict.BAD)


class Fact(Protocol):
    """A row of the catalogue."""

    @property
    def source(self) -> str:
        """Where the fact was read."""

    @property
    def checked(self) -> datetime.date:
        """The day on which it was."""


def by_fact(fact: Fact, aspect: str, verdict: Verdict, *, here: str, known: str) -> Judgement:
    """Return a judgement that rests on a row of the catalogue."""
    return Judgement(aspect=aspect, verdict=verdict, here=here, known=known, source=fact.source, checked=fact.checked)


def not_known(aspect: str, here: str) -> Judgement:
    """Return a judgement where the catalogue says nothing."""
    return Judgement(aspect=aspect, verdict=Verdict.UNKNOWN, here=here, known="")


def tried(*, fits: bool) -> Verdict:
    """Return the verdict on what somebody has tried, or not."""
    return Verdict.OK if fits else Verdict.WARN


def severity(judged: Judgement) -> Severity | None:
    """Return how bad a finding is that rests on a judgement: as its rule says, but a warning where it only may fail."""
    return Severity.WARNING if judged.verdict is Verdict.WARN else None
