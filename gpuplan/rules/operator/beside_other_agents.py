"""Nodes that the GPU Operator would serve beside somebody else's agents.

The operator runs its agents on every node with an NVIDIA card. In a cluster where it serves some pools, the nodes of the
others carry `nvidia.com/gpu.deploy.operands: "false"`, by which it leaves them alone. gpuplan renders that label for pools
selected by `nfd` or a `provisioner`; on nodes selected by existing labels somebody else has to set it. Without it two
device plugins offer the same cards. Listing the label under `selectedBy.labels` states that somebody sets it on that pool's
nodes, and `operatorStandby` of the cluster that somebody does on all.

Source: NVIDIA GPU Operator, controllers/state_manager. Report: NVIDIA/k8s-device-plugin #255.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_OPERANDS
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.labels import labelled_by_others
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, why_there

DOC = RuleDoc(
    id="operator/beside-other-agents",
    severity=Severity.ERROR,
    summary="A pool of another stack whose nodes the GPU Operator would serve as well",
    why="The operator serves every node with an NVIDIA card that it is not kept off: two device plugins offer the same cards.",
    fix=f'Have the nodes labelled `{LABEL_OPERANDS}: "false"` and list that under `selectedBy.labels`, or leave the '
    "flavors as they are and write `operatorStandby: labels` in the cluster.",
    bad="clusters:\n  eu: {stack: operator}\nnodePools:\n  a: {stack: manual, selectedBy: {labels: {pool: a}}}",
    good="clusters:\n  eu: {stack: operator}\nnodePools:\n  a: {stack: manual, selectedBy: {nfd: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose nodes nobody keeps the operator off."""
    for cluster in fleet.clusters:
        for pool in filter(labelled_by_others, cluster.pools) if cluster.keeps_operator_off else ():
            if cluster.gpu_operator.kept_off and LABEL_OPERANDS not in dict(pool.selection.labels):
                continue
            yield DOC.found(
                f"The GPU Operator of cluster `{cluster.name}` would serve the nodes of pool `{pool.name}`, too, which is on "
                f"`stack: {pool.stack}`",
                at=point(fleet, (*pool.path, "selectedBy", "labels")),
                also=(Related(*why_there(fleet, cluster)),),
            )
