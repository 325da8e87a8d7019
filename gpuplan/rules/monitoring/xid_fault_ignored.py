"""An XID of a broken card that is ignored.

Fleets differ about some codes (109: NVIDIA resets the card, its device plugin goes on), so that this is no mistake by itself.
But nobody is told of the error any more, and what runs next on the card fails as well.

Source: NVIDIA, XID errors, catalogue of October 2025.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.xids import Reaction
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/xid-fault-ignored",
    severity=Severity.INFO,
    summary="An XID of a broken card that is ignored",
    why="No alert tells of it, and work is still placed on the card.",
    fix="Leave the code out of `ignore`, unless something else takes the card out of service.",
    bad="monitoring: {xids: {ignore: [79]}}",
    good="monitoring: {xids: {ignore: [13]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each ignored code after which a node should be drained."""
    drains = [row for row in fleet.catalog.xids.values() if row.reaction is Reaction.DRAIN]
    xids = fleet.monitoring.xids
    for index, code in enumerate(xids.ignore):
        for row in drains:
            if code in row.codes and code not in xids.drain:
                at = fleet.places.value((*fleet.monitoring.path, "xids", "ignore", index))
                yield DOC.found(f"XID {code} is ignored, and it says that {row.summary}", at=at)
