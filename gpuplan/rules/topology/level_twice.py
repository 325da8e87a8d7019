"""A topology that names a level twice.

Levels are different labels, from wide to narrow. Kueue refuses a Topology in which one stands twice.

Source: Kueue Topology, validation of levels.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import level_path, tiers
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="topology/level-twice",
    severity=Severity.ERROR,
    summary="A topology level that stands twice",
    why="Kueue's levels are unique; the API server refuses the Topology.",
    fix="Remove one of them.",
    bad="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, topology.gpuplan.dev/rack]}}",
    good="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each repeated level."""
    for tier in tiers(fleet):
        for index, first in repeats(tier.levels):
            yield DOC.found(
                f"Tier `{tier.name}` has level `{tier.levels[index]}` twice",
                at=fleet.places.value(level_path(tier, index)),
                also=(Related("the first time", fleet.places.value(level_path(tier, first))),),
            )
