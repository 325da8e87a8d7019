"""Findings as GitLab's code quality report, which shows them in the diff of a merge request."""

from __future__ import annotations

import collections
import hashlib
from typing import Any, Final

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity
from gpuplan.report.human import plain_lines
from gpuplan.report.machine import json_text
from gpuplan.report.terminal import printable

_SEVERITY: Final = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def as_codequality(found: Diagnostics) -> str:
    """Return the findings as a list of issues with fingerprints of their own.

    A fingerprint names no line, so that a finding that only moved counts as the same one.
    """
    seen: collections.Counter[str] = collections.Counter()
    return json_text([_issue(finding, seen) for finding in found])


def _issue(finding: Diagnostic, seen: collections.Counter[str]) -> dict[str, Any]:
    what = f"{finding.rule}\0{finding.at.file}\0{finding.summary}"
    seen[what] += 1
    return {
        "description": "\n".join(printable(line) for line in plain_lines(finding.summary, finding)),
        "check_name": finding.rule,
        "fingerprint": hashlib.sha256(f"{what}\0{seen[what]}".encode(errors="replace")).hexdigest(),
        "severity": _SEVERITY[finding.severity],
        "location": {"path": finding.at.file, "lines": {"begin": finding.at.line}},
    }
