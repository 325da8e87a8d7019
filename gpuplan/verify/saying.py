"""How verdicts are put: from lines of evidence to a pass, a fail or an unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplan.diagnostics import Span
from gpuplan.verify.verdicts import CheckDoc, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What is said of a subject: where it stands well, where not, and what to do then."""

    at: Span | None
    """The line of `fleet/` that asks for it."""
    good: str
    bad: str
    fix: str
    unknown: str = "It could not be seen"
    look: str = ""
    """What to do where it could not be seen."""


def verdict(
    doc: CheckDoc,
    subject: str,
    words: Words,
    *,
    wrong: Sequence[str],
    unseen: Sequence[str] = (),
    right: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on a subject: a fail where a line says what is wrong, unknown where one says what was not seen."""
    outcome = Outcome.FAIL if wrong else Outcome.UNKNOWN if unseen else Outcome.PASS
    summary = {Outcome.FAIL: words.bad, Outcome.UNKNOWN: words.unknown, Outcome.PASS: words.good}[outcome]
    fix = {Outcome.FAIL: words.fix, Outcome.UNKNOWN: words.look, Outcome.PASS: ""}[outcome]
    evidence = (*wrong, *unseen) if outcome is not Outcome.PASS else tuple(right)
    return Verdict(
        check=doc.id,
        subject=subject,
        outcome=outcome,
        summary=summary,
        evidence=evidence,
        fix=fix,
        at=words.at,
    )
