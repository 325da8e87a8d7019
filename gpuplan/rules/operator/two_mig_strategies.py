"""Pools of one GPU Operator that are cut, by two MIG strategies.

The operator gives one MIG strategy to the device plugin of every node: with `single` the instances of a `mixed` pool would be
refused, with `mixed` those of a `single` pool would be offered under other names than its queues count.

Source: NVIDIA GPU Operator, `mig.strategy` of the ClusterPolicy; k8s-device-plugin, config-manager.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/two-mig-strategies",
    severity=Severity.ERROR,
    summary="Two MIG strategies among the pools of one GPU Operator",
    why="The operator's device plugin has one MIG strategy for all nodes that are cut: one of the pools would offer nothing.",
    fix="Take one strategy for all its pools: our own MIG manager does not work beside the operator.",
    bad="nodePools:\n  a: {sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}}\n"
    "  b: {sharing: {mig: {strategy: mixed, profiles: {2g.10gb: 3}}}}",
    good="nodePools:\n  a: {sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 7}}}}\n"
    "  b: {sharing: {mig: {strategy: mixed, profiles: {2g.10gb: 3}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with another strategy than the first of its operator."""
    for cluster in fleet.clusters:
        first: NodePool | None = None
        for pool in cluster.operator_pools:
            if pool.sharing.strategy is MigStrategy.NONE:
                continue
            first = first or pool
            if pool.sharing.strategy is not first.sharing.strategy:
                yield DOC.found(
                    f"Pool `{pool.name}` is cut with strategy `{pool.sharing.strategy.value}`, pool `{first.name}` of the same "
                    f"operator with `{first.sharing.strategy.value}`",
                    at=point(fleet, (*pool.path, "sharing", "mig", "strategy")),
                    also=(Related("the other pool", point(fleet, (*first.path, "sharing", "mig", "strategy"))),),
                )
