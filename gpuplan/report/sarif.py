"""Findings as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from gpuplan import __version__
from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity, Span
from gpuplan.report.machine import json_text
from gpuplan.rulebook import RuleDoc

MAX_RESULTS: Final = 5_000
"""More results of one run are not shown by code scanning."""
_LEVEL: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(found: Diagnostics, docs: Mapping[str, RuleDoc]) -> str:
    """Return a SARIF log with one run: the rules that fired, and their results, errors first where there are too many."""
    kept = found
    if len(found) > MAX_RESULTS:
        worst = sorted(found, key=lambda f: (f.severity.rank, f.sort_key))[:MAX_RESULTS]
        kept = tuple(sorted(worst, key=lambda f: f.sort_key))
    rules = sorted({finding.rule for finding in kept})
    run = {
        "tool": {
            "driver": {
                "name": "gpuplan",
                "semanticVersion": __version__,
                "rules": [_rule(rule, docs.get(rule)) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _left_out(len(found) - len(kept))}],
        "results": [_result(finding, rules.index(finding.rule)) for finding in kept],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _left_out(count: int) -> list[dict[str, Any]]:
    if not count:
        return []
    text = f"{count} more findings are left out: a run holds at most {MAX_RESULTS}. Errors were kept first."
    return [{"level": "warning", "message": {"text": text}}]


def _rule(rule: str, doc: RuleDoc | None) -> dict[str, Any]:
    if doc is None:
        return {"id": rule}
    help_text = f"{doc.why}\n\nFix: {doc.fix}"
    examples = "".join(
        f"\n\n{title}:\n\n```yaml\n{text}\n```" for title, text in (("Wrong", doc.bad), ("Right", doc.good)) if text
    )
    return {
        "id": rule,
        "shortDescription": {"text": f"{doc.summary}."},
        "fullDescription": {"text": doc.why},
        "help": {"text": help_text, "markdown": help_text + examples},
        "defaultConfiguration": {"level": _LEVEL[doc.severity]},
    }


def _result(finding: Diagnostic, rule_index: int) -> dict[str, Any]:
    parts = [f"{finding.summary}.", finding.detail, f"Fix: {finding.fix}" if finding.fix else ""]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVEL[finding.severity],
        "message": {"text": "\n".join(part for part in parts if part)},
        "locations": [_location(finding.at)],
    }
    if finding.also:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": other.message}, **_location(other.at)}
            for number, other in enumerate(finding.also, start=1)
        ]
    return result


def _location(span: Span) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(span.file, errors="replace")},
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
        }
    }
