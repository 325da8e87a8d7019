"""A topology with a level below the hostname.

`kubernetes.io/hostname` is a single node, and nothing is smaller. Kueue's Topology takes it as the last level only and
refuses any other place.

Source: Kueue Topology, validation of levels.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import level_path, tiers

DOC = RuleDoc(
    id="topology/hostname-not-last",
    severity=Severity.ERROR,
    summary="A topology level below the hostname",
    why="Kueue takes `kubernetes.io/hostname` as the last level only; the API server refuses the Topology.",
    fix="Order the levels from the widest to `kubernetes.io/hostname`.",
    bad="cardTiers:\n  train: {topology: {levels: [kubernetes.io/hostname, topology.gpuplan.dev/rack]}}",
    good="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each hostname with levels after it."""
    for tier in tiers(fleet):
        for index, level in enumerate(tier.levels[:-1]):
            if level == conventions.LABEL_HOSTNAME:
                summary = f"Tier `{tier.name}` has level `{tier.levels[index + 1]}` below the hostname"
                yield DOC.found(summary, at=fleet.places.value(level_path(tier, index)))
