"""A memory mode that does not go with the compute mode of the card.

`NPS4` splits a card's memory in four and goes with `CPX` alone; in `SPX` the card is one device with one memory. The
device config manager refuses such a profile and leaves the node as it is. All cards of a node have one memory mode, which a
pool cannot but keep to, since it has one.

Source: AMD GPU Operator, profile checks of the device config manager; AMD SMI, partition modes.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path
from gpuplan.rules.walk import graded, listed, point

DOC = RuleDoc(
    id="partition/memory-mode",
    severity=Severity.ERROR,
    summary="A memory mode that does not go with the compute mode",
    why="The device config manager refuses the profile: the node keeps the partitions that it had, and the queues are wrong.",
    fix="Write `memory: NPS1`, or `compute: CPX` beside `NPS4`.",
    bad="nodePools:\n  a: {card: mi300x, sharing: {partition: {compute: SPX, memory: NPS4}}}",
    good="nodePools:\n  a: {card: mi300x, sharing: {partition: {compute: CPX, memory: NPS4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose modes do not go together on its card."""
    for _, pool in shared_by(fleet, SharingMode.PARTITION):
        known = fleet.catalog.cuts.partitions.get(pool.card.name)
        if known is None:
            continue
        compute, _, memory = pool.sharing.config.partition("-")
        fitting = known.memory.get(compute, ())
        if memory not in fitting:
            yield DOC.found(
                f"Pool `{pool.name}`: memory mode `{memory}` does not go with `{compute}` on `{pool.card.name}`",
                at=point(fleet, (*sharing_path(pool), "memory")),
                fix=f"Write `memory: {fitting[0]}`; with `{compute}` this card has {listed(fitting, 'or')}."
                if fitting
                else None,
                severity=graded(known=compute == "SPX" or "memory" not in known.unchecked),
            )
