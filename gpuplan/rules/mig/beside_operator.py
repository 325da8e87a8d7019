"""A MIG pool on our own agents in a cluster where the GPU Operator serves others.

The MIG manager pauses the agents of a node by labels `nvidia.com/gpu.deploy.…` while it cuts, and by one of them a person
holds it off a node. From nodes that the operator is kept off (`nvidia.com/gpu.deploy.operands: "false"`) the operator
removes all labels of that kind, and on nodes with cards that know MIG it looks at every update of the node. So the held
manager starts on nodes that nobody has drained, and the agents come back while the cards are cut.

Source: NVIDIA GPU Operator, controllers/state_manager (removeAllGPUStateLabels) and controllers/clusterpolicy_controller
(addWatchNewGPUNode); NVIDIA/mig-parted, pkg/mig/reconfigure.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import why_there

DOC = RuleDoc(
    id="mig/beside-operator",
    severity=Severity.ERROR,
    summary="A MIG pool on our own agents in a cluster with the GPU Operator",
    why="The operator removes the labels by which the MIG manager pauses other agents and is itself held off a node: it would "
    "cut nodes that nobody has drained, with the agents still holding their cards.",
    fix="Put the pool on `stack: operator`, and other pools of the cluster before or after it as you like.",
    bad="clusters:\n  eu: {stack: operator}\nnodePools:\n  a: {stack: manual, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="clusters:\n  eu: {stack: operator}\nnodePools:\n  a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such pool."""
    for cluster in fleet.clusters:
        for pool in cluster.pools_on("manual") if cluster.has_operator else ():
            if pool.sharing.mode is SharingMode.MIG:
                yield DOC.found(
                    f"The GPU Operator of cluster `{cluster.name}` takes away the labels by which the MIG manager of pool "
                    f"`{pool.name}` works, which is on `stack: manual`",
                    at=fleet.places.key(mig_path(pool)),
                    also=(Related(*why_there(fleet, cluster)),),
                )
