"""Findings of `gpuplan lint` for programs: one flat object a finding."""

from __future__ import annotations

from typing import Any

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity
from gpuplan.report.machine import FORMAT_VERSION, json_text

SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.INFO: "info"}


def as_json(found: Diagnostics) -> str:
    """Return the findings as one JSON object, in the order of files and lines."""
    return json_text({"format_version": FORMAT_VERSION, "findings": [_finding(one) for one in found]})


def _finding(finding: Diagnostic) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": SEVERITIES[finding.severity],
        "file": finding.at.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "summary": finding.summary,
        "detail": finding.detail,
        "fix": finding.fix,
    }
