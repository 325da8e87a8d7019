"""A driver that is too old for the pool's card.

New cards need the driver that learned to know them: 570.133.20 for HGX B200, 575.57.08 for RTX PRO 6000. An older one
does not find the card.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import oldest_driver
from gpuplan.rules.judgement import severity
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="driver/card-needs-newer-driver",
    severity=Severity.ERROR,
    summary="A driver that is too old for the card",
    why="The driver does not know the card: the nodes offer no GPU.",
    fix="Choose a newer branch.",
    bad="nodePools:\n  b200: {card: b200, driver: {branch: '535'}}",
    good="nodePools:\n  b200: {card: b200, driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose branch never reaches what its card needs."""
    for _, pool in pools(fleet):
        limits = fleet.catalog.driver_limits(pool.card)
        judged = oldest_driver(fleet, pool, limits) if limits else None
        if judged and judged.fails:
            yield DOC.found(
                f"`{pool.card.name}` needs driver {judged.known}, and pool `{pool.name}` runs branch {pool.driver.branch}",
                at=point(fleet, (*pool.path, "driver", "branch")),
                severity=severity(judged),
            )
