"""Pools of one GPU Operator whose MIG layouts have one name and differ.

The operator's MIG manager reads the layouts of all nodes from one file, by name: the nodes of one pool would be cut as the
other's are. Layouts that name cards by index differ where nodes have different numbers of cards.

Source: NVIDIA GPU Operator, `migManager.config` of the ClusterPolicy; mig-parted.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode, mig_config_name, mig_cuts
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/two-layouts-of-a-name",
    severity=Severity.ERROR,
    summary="Two MIG layouts with one name among the pools of one GPU Operator",
    why="The operator has one file of layouts for all nodes: the nodes of one pool would be cut as the other's are.",
    fix="Give one of the layouts another `name`.",
    bad="nodePools:\n  a: {cardsPerNode: 2, sharing: {mig: {name: half, groups: [{cards: [0], profiles: {1g.5gb: 7}}]}}}\n"
    "  b: {cardsPerNode: 8, sharing: {mig: {name: half, groups: [{cards: [0, 1, 2, 3], profiles: {1g.5gb: 7}}]}}}",
    good="nodePools:\n  a: {cardsPerNode: 2, sharing: {mig: {name: half, groups: [{cards: [0], profiles: {1g.5gb: 7}}]}}}\n"
    "  b: {cardsPerNode: 8, sharing: {mig: {name: four, groups: [{cards: [0, 1, 2, 3], profiles: {1g.5gb: 7}}]}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose layout has the name of another one of its operator."""
    for cluster in fleet.clusters:
        first: dict[str, NodePool] = {}
        for pool in cluster.operator_pools:
            if pool.sharing.mode is not SharingMode.MIG:
                continue
            name = mig_config_name(pool.sharing)
            other = first.setdefault(name, pool)
            if mig_cuts(other.sharing) != mig_cuts(pool.sharing):
                yield DOC.found(
                    f"Pools `{other.name}` and `{pool.name}` of one operator cut cards in different ways, both under `{name}`",
                    at=point(fleet, (*pool.path, "sharing", "mig", "name")),
                    also=(Related("the other pool", point(fleet, (*other.path, "sharing", "mig", "name"))),),
                )
