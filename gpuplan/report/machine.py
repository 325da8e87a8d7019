"""Findings for programs: JSON of our own, and the commands by which GitHub annotates a change."""

from __future__ import annotations

import json
from typing import Any, Final

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity, Span
from gpuplan.report.human import Page, count_line, plain_lines
from gpuplan.report.terminal import printable

FORMAT_VERSION: Final = "1.0"
"""A reader may rely on every key under one major number; the minor one grows when keys are added."""

_GITHUB_LEVEL: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
GITHUB_SHOWS: Final = 10
"""Annotations of one level that GitHub shows for a step; it drops the rest without a word."""


def as_json(found: Diagnostics) -> str:
    """Return the findings as one JSON object."""
    counts = {severity.value: sum(f.severity is severity for f in found) for severity in Severity}
    data = {"format_version": FORMAT_VERSION, "summary": counts, "findings": [_finding(f) for f in found]}
    return json_text(data)


def json_text(data: Any) -> str:
    """Return data as JSON in printable ASCII, so that any pipe can carry it and no terminal obeys it."""
    return json.dumps(data, indent=2).replace("\x7f", "\\u007f") + "\n"


def _finding(finding: Diagnostic) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "summary": finding.summary,
        "detail": finding.detail,
        "fix": finding.fix,
        "at": _span(finding.at),
        "also": [{"message": other.message, "at": _span(other.at)} for other in finding.also],
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def as_github(found: Diagnostics) -> str:
    """Return workflow commands, errors first, and a last line with the count and what GitHub leaves out."""
    by_severity = sorted(found, key=lambda f: (f.severity.rank, f.sort_key))
    commands = [_command(finding) for finding in by_severity]
    hidden = sum(max(0, sum(f.severity is s for f in found) - GITHUB_SHOWS) for s in Severity)
    note = (
        f" GitHub shows {GITHUB_SHOWS} of a kind for each step: {hidden} more are only in this log." if hidden else ""
    )
    commands.append(count_line(found, Page()) + note)
    return "".join(command + "\n" for command in commands)


def _command(finding: Diagnostic) -> str:
    at = finding.at
    properties = {"file": at.file, "line": str(at.line), "endLine": str(at.end_line)}
    if at.line == at.end_line:  # columns of two lines say nothing to GitHub
        properties |= {"col": str(at.column), "endColumn": str(at.end_column)}
    properties["title"] = finding.rule
    message = "\n".join(plain_lines(finding.summary, finding))
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_GITHUB_LEVEL[finding.severity]} {written}::{_data(message)}"


def _data(text: str) -> str:
    lines = [printable(line).replace("%", "%25") for line in text.split("\n")]
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
