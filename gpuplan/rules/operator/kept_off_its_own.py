"""Pools of the GPU Operator that are selected by a label which keeps it off their nodes.

`nvidia.com/gpu.deploy.operands: "false"` takes all of the operator's agents off a node, and
`nvidia.com/gpu.deploy.device-plugin: "false"` its device plugin: no card would ever be offered there. Nor is one where
`nvidia.com/gpu.deploy.driver: "false"` takes away the driver that the operator is to install.

Source: NVIDIA GPU Operator, controllers/state_manager.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_DEPLOY_DRIVER, LABEL_DEPLOY_PLUGIN, LABEL_OPERANDS
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool, SelectedBy, offered_by_plugin
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/kept-off-its-own",
    severity=Severity.ERROR,
    summary="A pool on the GPU Operator whose nodes carry a label that keeps it off them",
    why="The operator runs no device plugin on such a node, or installs no driver there, and nobody else does: its cards are "
    "never offered.",
    fix="Select the pool by other labels and have this one taken off the nodes, or name the stack whose agents are there. Where "
    "nodes come with their driver, write `driver: {preinstalled: true}`.",
    bad="clusters:\n  eu: {stack: operator}\nnodePools:\n"
    '  a: {selectedBy: {labels: {pool: a, nvidia.com/gpu.deploy.operands: "false"}}}',
    good="clusters:\n  eu: {stack: operator}\nnodePools:\n  a: {selectedBy: {labels: {pool: a}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such label."""
    for cluster in fleet.clusters:
        for pool in cluster.operator_pools:
            missed = _missed(pool)
            for key, value in pool.selection.labels if pool.selection.by is SelectedBy.LABELS else ():
                if value == "false" and key in missed:
                    yield DOC.found(
                        f'The GPU Operator {missed[key]} nodes with `{key}: "{value}"`, and pool `{pool.name}`, which is on '
                        "`stack: operator`, is selected by it",
                        at=point(fleet, (*pool.path, "selectedBy", "labels", key)),
                    )


def _missed(pool: NodePool) -> dict[str, str]:
    """Return what the operator does to nodes by labels that take away what the pool needs of it.

    Where others offer a pool's cards the operator's device plugin is not needed, nor its driver where nodes come with one.
    """
    found = {LABEL_OPERANDS: "runs no agents on"}
    if offered_by_plugin(pool):
        found[LABEL_DEPLOY_PLUGIN] = "runs no device plugin on"
    if not pool.driver.preinstalled:
        found[LABEL_DEPLOY_DRIVER] = "installs no driver on"
    return found
