"""What a rule is, in words: the one text behind a finding, its docs page and `gpuplan rule ID`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDoc:
    """One rule that can fire.

    `id` is stable and reads `area/name`; `summary` is one line without a final period; `why` says what goes wrong on a
    real cluster, or for the reader of the file; `fix` says what to write instead; `bad` and `good` are short pieces of
    a fleet file. `severity` is what the rule gives as a rule: a finding may be milder where the fact is unsure.
    """

    id: str
    severity: Severity
    summary: str
    why: str
    fix: str
    bad: str = ""
    good: str = ""

    def found(
        self,
        summary: str,
        *,
        at: Span,
        detail: str | None = None,
        also: tuple[Related, ...] = (),
        fix: str | None = None,
        severity: Severity | None = None,
    ) -> Diagnostic:
        """Return a finding of this rule; without its own `detail`, `fix` or `severity` it speaks the rule's words."""
        return Diagnostic(
            rule=self.id,
            severity=severity or self.severity,
            summary=summary,
            at=at,
            detail=self.why if detail is None else detail,
            also=also,
            fix=self.fix if fix is None else fix,
        )


FORMER_IDS: Final[Mapping[str, str]] = {
    "kueue/gang-larger-than-any-flavor": "plan/gang-larger-than-any-flavor",
    "quota/zero-quota": "kueue/zero-accelerator-quota",
}
"""Ids that rules once had -> those they have now: `suppress` still takes the old ones, and `gpuplan migrate` rewrites them."""
