"""Pools of one flavor of which some are claimed and some are counted.

Pools with one tier, card and sharing are one flavor. If pods claim the cards of one and count those of the other, one flavor
offers one unit under two resource names, and a quota of the tier would have to say for each card how it is asked for.

Source: gpuplan's addresses of quotas (docs/decisions/0004).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/two-exposures",
    severity=Severity.ERROR,
    summary="Pools of one flavor of which some are claimed and some are counted",
    why="A quota of the tier could not say which of the two ways of asking for a card it is for.",
    fix="Put the claimed pools into a tier of their own; it may list the same card.",
    bad="nodePools:\n  a: {tier: train, exposure: dra}\n  b: {tier: train}",
    good="nodePools:\n  a: {tier: train-claimed, exposure: dra}\n  b: {tier: train}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool that shares its flavor with one that is not."""
    for cluster in fleet.clusters:
        for flavor in cluster.flavors:
            counted = [pool for pool in flavor.pools if pool.exposure is not Exposure.DRA]
            for pool in flavor.pools if counted else ():
                if pool.exposure is Exposure.DRA:
                    yield DOC.found(
                        f"Pools `{pool.name}` and `{counted[0].name}` are both `{flavor.name}`, and only the first is claimed",
                        at=fleet.places.value((*pool.path, "exposure")),
                        also=(Related("counted", point(fleet, (*counted[0].path, "exposure"))),),
                    )
