"""What a check says: pass, fail or unknown, of what, and by which evidence."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplan.diagnostics import Span


class Outcome(enum.Enum):
    """How one thing stands. `UNKNOWN`: it could not be seen, which is never good news and never a fault of the cluster."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDoc:
    """A check of the list: `id` is `area/name`; `title` is what holds where it passes, as a sentence without a period."""

    id: str
    title: str
    reads: tuple[str, ...]
    """The kinds, or `prometheus` and `alertmanager`, that it looks at; where one could not be seen the outcome is unknown."""
    why: str
    """What goes wrong on a cluster where it fails: one or two sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One outcome. A check gives one for each subject (a pool, a queue, a rail), so that what passes is named as well.

    `evidence` are facts as they were seen, each a line, such as `gpu-03: nvidia.com/mig.config.state=failed, expected success`.
    `at` is the line of `fleet/` that asks for it.
    """

    check: str
    subject: str
    outcome: Outcome
    summary: str
    evidence: tuple[str, ...] = ()
    fix: str = ""
    at: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All verdicts about one cluster, in the order of the list of checks."""

    cluster: str
    kubernetes: str
    verdicts: tuple[Verdict, ...]
    partial: tuple[str, ...]
    """What could not be seen, each with why, as sentences."""

    def of(self, outcome: Outcome) -> tuple[Verdict, ...]:
        """Return the verdicts with an outcome."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome is outcome)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes: a failure before what is unknown before a pass."""
    found = set(outcomes)
    return next((one for one in (Outcome.FAIL, Outcome.UNKNOWN) if one in found), Outcome.PASS)
