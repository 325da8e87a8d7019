"""Every finding that gpuplan can give, by its id: the rules' and those of the other phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from gpuplan.format import findings as format_findings
from gpuplan.moving import stack_findings, upgrade_findings
from gpuplan.output import findings as output_findings
from gpuplan.plan import findings as plan_findings
from gpuplan.resolve import findings as resolve_findings
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import RULES, manifests, suppress
from gpuplan.source import findings as source_findings
from gpuplan.source import git_findings
from gpuplan.spec import findings as spec_findings
from gpuplan.validate import findings as validate_findings


def _by_id(docs: Iterable[RuleDoc]) -> Mapping[str, RuleDoc]:
    return MappingProxyType({doc.id: doc for doc in sorted(docs, key=lambda doc: doc.id)})


BOOK: Mapping[str, RuleDoc] = _by_id(
    (
        *(rule.doc for rule in RULES),
        *(rule.doc for rule in manifests.RULES),
        *source_findings.FINDINGS,
        *git_findings.FINDINGS,
        *spec_findings.FINDINGS,
        *resolve_findings.FINDINGS,
        *suppress.FINDINGS,
        *format_findings.FINDINGS,
        *stack_findings.FINDINGS,
        *upgrade_findings.FINDINGS,
        *output_findings.FINDINGS,
        *plan_findings.FINDINGS,
        *validate_findings.FINDINGS,
    )
)
"""The rulebook, sorted by id."""

PAGES: Mapping[str, str] = MappingProxyType({rule.doc.id: rule.page for rule in (*manifests.RULES, *RULES)})
"""The longer explanation of those ids that are rules."""
