"""An XID after which nodes are drained, and that is ignored.

`monitoring.xids` says where a fleet judges a code otherwise than the catalogue. A code in both lists has two judgements; the
alert then drains, which is the safe side, and whoever put it into `ignore` is paged all the same.

Source: gpuplan, how the lists are read.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/xid-both-ways",
    severity=Severity.WARNING,
    summary="An XID that drains a node and is ignored",
    why="A code in both lists drains, and the entry in `ignore` does nothing.",
    fix="Leave the code in one of the lists.",
    bad="monitoring: {xids: {drain: [63], ignore: [63, 45]}}",
    good="monitoring: {xids: {drain: [63], ignore: [45]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each ignored code that also stands in the list to drain after."""
    path, xids = (*fleet.monitoring.path, "xids"), fleet.monitoring.xids
    for index, code in enumerate(xids.ignore):
        if code in xids.drain:
            also = fleet.places.value((*path, "drain", xids.drain.index(code)))
            yield DOC.found(
                f"XID {code} is both to drain after and to ignore",
                at=fleet.places.value((*path, "ignore", index)),
                also=(Related("to drain after", also),),
            )
