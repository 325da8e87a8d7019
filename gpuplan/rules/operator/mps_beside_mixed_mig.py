"""MPS and MIG instances of strategy `mixed` among the pools of one GPU Operator.

The operator gives its MIG strategy to the device plugin of every node, and with `mixed` the plugin refuses to start where a
configuration shares cards by MPS, whether or not the node has a MIG card.

Source: NVIDIA k8s-device-plugin ("using --mig-strategy=mixed is not supported with MPS"); GPU Operator, `mig.strategy`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import MigStrategy, SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/mps-beside-mixed-mig",
    severity=Severity.ERROR,
    summary="MPS beside MIG of strategy `mixed` on one GPU Operator",
    why="The operator's MIG strategy holds on every node, and with `mixed` the device plugin refuses to start on nodes with MPS.",
    fix="Put the MPS pool on `stack: manual`, share it by `timeSlicing`, or cut the others with strategy `single`.",
    bad="nodePools:\n  a: {sharing: {mps: {replicas: 4}}}\n  b: {sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="nodePools:\n  a: {stack: manual, sharing: {mps: {replicas: 4}}}\n  b: {sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each MPS pool whose operator also serves a pool of strategy mixed."""
    for cluster in fleet.clusters:
        pools = cluster.operator_pools
        mixed = next((pool for pool in pools if pool.sharing.strategy is MigStrategy.MIXED), None)
        for pool in pools if mixed else ():
            if mixed and pool.sharing.mode is SharingMode.MPS:
                yield DOC.found(
                    f"The device plugin of the GPU Operator does not start on pool `{pool.name}` with MPS while pool "
                    f"`{mixed.name}` is cut with strategy `mixed`",
                    at=point(fleet, (*pool.path, "sharing", "mps")),
                    also=(Related("the pool with MIG", point(fleet, (*mixed.path, "sharing"))),),
                )
