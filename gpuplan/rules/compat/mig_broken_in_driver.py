"""MIG on a driver branch with a release in which it does not work on the card.

RTX PRO 6000 came with driver 575.57.08, and MIG does not work there with that very release. The spec names a branch; which
release of it a node runs is not said, so this is a warning.

Source: GPU Operator platform support.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.branches import is_known
from gpuplan.rules.walk import point, pools

CARD = "rtx-pro-6000-server"
REQUIREMENT = "rtx-pro-6000-mig"

DOC = RuleDoc(
    id="compat/mig-broken-in-driver",
    severity=Severity.WARNING,
    summary="MIG on a driver branch in which it is broken for the card",
    why="With that release the cards cannot be cut: the MIG manager fails, and the nodes offer no instance.",
    fix="Take a newer branch.",
    bad=f"nodePools:\n  a: {{card: {CARD}, driver: {{branch: '575'}}, sharing: {{mig: {{profiles: {{1g.24gb: 4}}}}}}}}",
    good=f"nodePools:\n  a: {{card: {CARD}, driver: {{branch: '580'}}, sharing: {{mig: {{profiles: {{1g.24gb: 4}}}}}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each MIG pool of the card on a branch with a broken release."""
    needs = fleet.catalog.drivers.requirements[REQUIREMENT]
    for _, pool in pools(fleet):
        broken = [version for version in needs.not_versions if str(version.major) == pool.driver.branch]
        if pool.card.name == CARD and pool.sharing.mode is SharingMode.MIG and broken and is_known(fleet, pool):
            yield DOC.found(
                f"MIG does not work on `{CARD}` with driver {broken[0]}, and pool `{pool.name}` runs branch {pool.driver.branch}",
                at=point(fleet, (*pool.path, "driver", "branch")),
                detail=f"{DOC.why} See {needs.source}.",
            )
