"""A driver branch that no longer drives the pool's card.

Volta, Pascal and Maxwell cards (V100, P100, P40, M60) are driven up to branch 580; newer drivers ignore them. Releases
may bring a newer default, so a pool of such cards has to say its branch.

Source: the driver's own kernel message ("supported through the 580.xx legacy drivers"). Report: NixOS/nixos-hardware
#1880.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.drivers import brought
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_driver import newest_branch
from gpuplan.rules.judgement import severity
from gpuplan.rules.walk import graded, point, pools, written

DOC = RuleDoc(
    id="driver/card-needs-older-branch",
    severity=Severity.ERROR,
    summary="A driver branch that no longer drives the card",
    why="The driver loads and ignores the card: the nodes offer no GPU.",
    fix="Pin the last branch that drives it.",
    bad="nodePools:\n  v100: {card: v100-sxm2-32gb, driver: {branch: '595'}}",
    good="nodePools:\n  v100: {card: v100-sxm2-32gb, driver: {branch: '580'}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose branch is past the card's last one."""
    for cluster, pool in pools(fleet):
        limits = fleet.catalog.driver_limits(pool.card)
        judged = newest_branch(fleet, pool, limits) if limits else None
        if limits and judged and judged.fails:
            yield DOC.found(
                f"`{pool.card.name}` ({limits.architecture}) is {judged.known}, and {_runs(fleet, cluster, pool)}",
                at=point(fleet, (*pool.path, "driver", "branch")),
                fix=f'Write `driver: {{branch: "{limits.max_branch}"}}`.',
                severity=severity(judged),
            )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each driver that manifests bring to a card that it no longer drives."""
    for one in brought(inventory):
        version, last = one.version, one.limits.max_branch
        if version is not None and last is not None and version.release[0] > last:
            yield DOC.found(
                f"{one.who} has `{one.card.name}` ({one.limits.architecture}), driven up to {last}, and gets {version}",
                at=one.view["version"].key_span,
                fix=f"Take a driver of branch {last} for these nodes.",
                severity=graded(known="max_branch" not in one.limits.unchecked),
            )


def _runs(fleet: Fleet, cluster: Cluster, pool: NodePool) -> str:
    if written(fleet, (*pool.path, "driver", "branch")):
        return f"pool `{pool.name}` runs {pool.driver.branch}"
    return f"pool `{pool.name}` takes {pool.driver.branch} from release {cluster.release.name}"
