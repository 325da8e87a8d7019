"""Nodes that somebody has to keep the GPU Operator off, because nothing of gpuplan's labels them.

`operatorStandby` of a cluster says that every node which is not the operator's carries
`nvidia.com/gpu.deploy.operands: "false"`. NFD and provisioners set that by what gpuplan renders; a pool selected by labels
that its nodes have already leaves it to whoever labels those. `gpuplan label-nodes` does it on nodes that are there, and
`gpuplan verify` sees whether it is done.

Source: NVIDIA GPU Operator, controllers/state_manager.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_OPERANDS
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.labels import labelled_by_others
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/labelled-by-others",
    severity=Severity.INFO,
    summary="A pool whose nodes somebody else has to label, so that the GPU Operator leaves them alone",
    why="The operator serves every node with an NVIDIA card that does not carry the label: two device plugins would offer "
    "the same cards. New nodes need it from the start.",
    fix=f'Have whoever makes the nodes label them `{LABEL_OPERANDS}: "false"`; `gpuplan label-nodes` labels those that are '
    "there, and `gpuplan verify` looks.",
    bad="clusters:\n  eu: {operatorStandby: labels}\nnodePools:\n  a: {stack: manual, selectedBy: {labels: {pool: a}}}",
    good="clusters:\n  eu: {operatorStandby: labels}\nnodePools:\n  a: {stack: manual, selectedBy: {nfd: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that is said to be labelled, and not by gpuplan."""
    for cluster in fleet.clusters:
        for pool in filter(labelled_by_others, cluster.pools) if cluster.gpu_operator.kept_off else ():
            if LABEL_OPERANDS in dict(pool.selection.labels):
                continue  # it has another value there, and nobody can set it
            yield DOC.found(
                f'The nodes of pool `{pool.name}` need label `{LABEL_OPERANDS}: "false"`, which gpuplan sets on no node '
                "that is selected by labels of its own",
                at=point(fleet, (*pool.path, "selectedBy", "labels")),
                also=(Related("what says that they have it", fleet.places.key((*cluster.path, "operatorStandby"))),),
            )
