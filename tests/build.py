"""Builders for tests: from a piece of spec text to the values that the phases hand on."""

from __future__ import annotations

import datetime

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostics
from gpuplan.model.fleet import Fleet
from gpuplan.resolve import resolve
from gpuplan.source.yamltext import parse_text
from gpuplan.spec.load import load

TODAY = datetime.date(2026, 11, 30)
"""The day for which all tests judge dates."""


def resolved(text: str, file: str = "fleet/fleet.yaml") -> tuple[Fleet | None, Diagnostics]:
    """Take a spec through source, spec and resolve; the findings of all three."""
    parsed = parse_text(file, text)
    if not parsed.documents:
        return None, parsed.findings
    loaded, shape = load(parsed.documents)
    if loaded is None:
        return None, (*parsed.findings, *shape)
    fleet, names = resolve(loaded, catalog.load(), TODAY)
    return fleet, (*parsed.findings, *shape, *names)


def fleet(text: str) -> Fleet:
    """Resolve a spec that has nothing wrong."""
    made, found = resolved(text)
    assert not found, [f"{finding.at} {finding.rule} {finding.summary}" for finding in found]
    assert made is not None
    return made
