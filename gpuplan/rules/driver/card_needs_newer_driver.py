"""A driver that is too old for the pool's card.

New cards need the driver that learned to know them: 570.133.20 for HGX B200, 575.57.08 for RTX PRO 6000. An older one
does not find the card.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.drivers import brought
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import oldest_driver
from gpuplan.rules.judgement import severity
from gpuplan.rules.walk import graded, point, pools

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


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each driver that manifests bring to a card that it does not know yet."""
    for one in brought(inventory):
        version, least = one.version, one.limits.min_driver
        if version is not None and least is not None and version.release < least.release[: len(version.release)]:
            yield DOC.found(
                f"{one.who} has `{one.card.name}`, which needs driver {least} or newer, and gets {version}",
                at=one.view["version"].key_span,
                severity=graded(known="min_driver" not in one.limits.unchecked),
            )
