"""A runbook address that is none.

`monitoring.runbookBase` and the name of an alert make the link that people on call follow. Prometheus reads annotations as
templates: a brace pair in the address stops it from loading any rule of the file. A space or a missing scheme only breaks
the link.

Source: Prometheus, templates in annotations; RFC 3986.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/runbook-base",
    severity=Severity.ERROR,
    summary="A runbook address that is none",
    why="Prometheus takes braces for a template and then loads no rule at all; any other text is a dead link in every alert.",
    fix="Write the beginning of an address, such as `https://runbooks.acme.io/gpu/`.",
    bad="monitoring: {runbookBase: 'runbooks.acme.io/{{ team }}/'}",
    good="monitoring: {runbookBase: 'https://runbooks.acme.io/gpu/'}",
)

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
"""A scheme, and the characters that RFC 3986 allows in an address."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where the spec names a base that is no address."""
    base = fleet.monitoring.runbook_base
    if base and not ADDRESS.fullmatch(base):
        at = fleet.places.value((*fleet.monitoring.path, "runbookBase"))
        yield DOC.found(f"`{base}` does not begin an address", at=at)
