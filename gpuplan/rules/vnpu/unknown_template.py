"""A template of virtual NPUs that the card does not have.

A template fixes AI cores, CPUs and memory of a virtual NPU, and its resource name follows from it. Each kind of NPU has its
own templates; another one's cannot be made on it, and no plugin offers a name that nobody knows.

Source: MindCluster, static virtualization: templates by kind of NPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path
from gpuplan.rules.walk import graded, listed
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="vnpu/unknown-template",
    severity=Severity.ERROR,
    summary="A template of virtual NPUs that the card does not have",
    why="The NPU refuses to be cut by it, and the resource that the queues count is never offered.",
    fix="Write one of the card's own templates.",
    bad="nodePools:\n  a: {card: ascend-910b3, sharing: {vnpu: {templates: {vir02: 4}}}}",
    good="nodePools:\n  a: {card: ascend-910b3, sharing: {vnpu: {templates: {vir05_1c_16g: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each unknown template."""
    for _, pool in shared_by(fleet, SharingMode.VNPU):
        known = fleet.catalog.cuts.vnpus.get(pool.card.name)
        if known is None:
            continue
        for piece in pool.sharing.pieces:
            name = piece.unit.part
            if name not in known.templates:
                guess = nearest(name, list(known.templates))
                has = f"`{pool.card.name}` has {listed(known.templates)}."
                yield DOC.found(
                    f"Pool `{pool.name}`: `{pool.card.name}` has no virtual NPU `{name}`",
                    at=fleet.places.key((*sharing_path(pool), "templates", name)),
                    fix=f"Write `{guess}`. {has}" if guess else has,
                    severity=graded(known="templates" not in known.unchecked),
                )
