"""Findings as JUnit XML, which most CI systems show as tests."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity
from gpuplan.report.human import plain_lines
from gpuplan.report.terminal import printable

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(found: Diagnostics) -> str:
    """Return one test case for each finding: an error fails it, anything milder is only noted.

    Without findings there is one case that passes, since many readers take an empty suite for a mistake.
    """
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    cases = [_case(finding) for finding in found] or ['<testcase classname="fleet" name="no findings"/>']
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="gpuplan" tests="{len(cases)}" failures="{errors}">',
        f'<testsuite name="gpuplan" tests="{len(cases)}" failures="{errors}" errors="0" skipped="0">',
        *cases,
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(finding: Diagnostic) -> str:
    name = _attribute(f"{finding.at} {finding.rule}")
    start = f"<testcase classname={_attribute(finding.at.file)} name={name} file={_attribute(finding.at.file)}"
    text = _text(finding)
    if finding.severity is Severity.ERROR:
        inner = f"<failure type={_attribute(finding.rule)} message={_attribute(finding.summary)}>{text}</failure>"
    else:
        inner = f"<system-out>{text}</system-out>"
    return f'{start} line="{finding.at.line}">{inner}</testcase>'


def _text(finding: Diagnostic) -> str:
    headline = f"{finding.at} {finding.severity.value} {finding.rule}: {finding.summary}"
    return escape("\n".join(map(_clean, plain_lines(headline, finding))))


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
