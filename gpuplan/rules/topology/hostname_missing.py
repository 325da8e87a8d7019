"""A topology that does not reach down to single nodes.

Kueue counts free cards at the lowest level. Where that is a rack, a job whose pods each need a whole node is admitted
as soon as the rack has as many cards free, spread over nodes that are all half full, and its pods stay Pending. Down to
`kubernetes.io/hostname` Kueue sees the nodes and keeps the job waiting honestly.

Source: Kueue topology-aware scheduling; tried on Kueue 0.19.2 with two nodes of 8 cards.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import level_path, tiers

DOC = RuleDoc(
    id="topology/hostname-missing",
    severity=Severity.WARNING,
    summary="A topology that does not reach down to nodes",
    why="Kueue then counts cards by the wider level and admits pods that no single node has room for.",
    fix="Add `kubernetes.io/hostname` as the last level.",
    bad="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack]}}",
    good="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier with levels but no hostname, at its lowest level."""
    for tier in tiers(fleet):
        if tier.levels and conventions.LABEL_HOSTNAME not in tier.levels:
            summary = f"The lowest level of tier `{tier.name}` is `{tier.levels[-1]}`, wider than a node"
            yield DOC.found(summary, at=fleet.places.value(level_path(tier, len(tier.levels) - 1)))
