"""An XID that the catalogue has in no class.

A number that NVIDIA's catalogue does not have is likely a slip, and the code that was meant keeps its usual judgement. It may
as well be newer than our table.

Source: NVIDIA, XID errors, catalogue of October 2025.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/xid-unknown",
    severity=Severity.INFO,
    summary="An XID that the catalogue does not know",
    why="A slip leaves the code that was meant as it was; only a code newer than the catalogue is right here.",
    fix="Check the number against NVIDIA's list of XID errors.",
    bad="monitoring: {xids: {ignore: [910]}}",
    good="monitoring: {xids: {ignore: [45]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each code of the fleet's lists that no class has."""
    known = {code for row in fleet.catalog.xids.values() for code in row.codes}
    xids = fleet.monitoring.xids
    for key, codes in (("drain", xids.drain), ("ignore", xids.ignore)):
        for index, code in enumerate(codes):
            if code not in known:
                at = fleet.places.value((*fleet.monitoring.path, "xids", key, index))
                yield DOC.found(f"The catalogue knows no XID {code}", at=at)
