"""Strategy `single` on nodes whose cards are not all cut alike.

With strategy `single` the device plugin offers slices as `nvidia.com/gpu`, which only works when every card of the node is
cut into one and the same profile. On a node with two profiles, or with whole cards beside cut ones, it offers nothing: the
product label becomes `<product>-MIG-INVALID` and the count 0.

Source: NVIDIA k8s-device-plugin, strategy single. Reports: NVIDIA/gpu-operator #460, #479.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="mig/single-strategy-mixed-geometry",
    severity=Severity.ERROR,
    summary="MIG strategy single on cards that are not all cut alike",
    why="The plugin cannot tell different slices apart under one name: the node gets the label MIG-INVALID and offers 0 GPUs.",
    fix="Write `strategy: mixed`, or cut every card of the node into one profile.",
    bad="nodePools:\n  lab: {sharing: {mig: {strategy: single, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}}",
    good="nodePools:\n  lab: {sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with strategy single and more than one kind of device on a node."""
    for _, pool in pools(fleet):
        if pool.sharing.strategy is not MigStrategy.SINGLE:
            continue
        profiles = dict.fromkeys(profile for group in pool.sharing.groups for profile, _ in group.profiles)
        whole = any(not group.profiles for group in pool.sharing.groups)
        if len(profiles) + whole > 1:
            beside = " beside whole cards" if whole else ""
            summary = f"Pool `{pool.name}` has strategy single and {listed(profiles)}{beside} on each node"
            yield DOC.found(summary, at=point(fleet, (*mig_path(pool), "strategy")))
