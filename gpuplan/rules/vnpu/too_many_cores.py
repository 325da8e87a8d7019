"""More virtual NPUs than a card has AI cores for.

Every virtual NPU takes the AI cores of its template, and they are nobody else's. Once a card's cores are given away, the next
virtual NPU cannot be made, while the queues count it.

Source: MindCluster, static virtualization: AI cores by kind of NPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path
from gpuplan.rules.walk import graded

DOC = RuleDoc(
    id="vnpu/too-many-cores",
    severity=Severity.ERROR,
    summary="More virtual NPUs than the card has AI cores for",
    why="A virtual NPU takes AI cores for itself. Those beyond the card's cannot be made, while the queues count them.",
    fix="Write fewer or smaller virtual NPUs.",
    bad="nodePools:\n  a: {card: ascend-310p3, sharing: {vnpu: {templates: {vir04: 3}}}}",
    good="nodePools:\n  a: {card: ascend-310p3, sharing: {vnpu: {templates: {vir04: 2}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose virtual NPUs do not fit on a card."""
    for _, pool in shared_by(fleet, SharingMode.VNPU):
        known = fleet.catalog.cuts.vnpus.get(pool.card.name)
        if known is None:
            continue
        cut = {piece.unit.part: piece.per_card for piece in pool.sharing.pieces if piece.unit.part in known.templates}
        cores = sum(known.templates[name].cores * count for name, count in cut.items())
        if cores > known.cores:
            parts = " + ".join(f"{count} x {name}" for name, count in cut.items())
            yield DOC.found(
                f"Pool `{pool.name}`: {parts} takes {cores} AI cores of a `{pool.card.name}`, which has {known.cores}",
                at=fleet.places.key((*sharing_path(pool), "templates")),
                severity=graded(known="cores" not in known.unchecked),
            )
