"""A taint that a pool lists twice.

A node has at most one taint of a key and effect. Two with different values cannot both be true, and the API server
refuses the pair on a node.

Source: Kubernetes node validation; Kueue's ResourceFlavor webhook has the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools, repeats

DOC = RuleDoc(
    id="taint/duplicate",
    severity=Severity.ERROR,
    summary="Two taints of one key and effect",
    why="A node has one taint of a key and effect; the API server refuses a second.",
    fix="Keep the one that the nodes have.",
    bad="nodePools:\n  a: {taints: [{key: gpu, value: a, effect: NoSchedule}, {key: gpu, value: b, effect: NoSchedule}]}",
    good="nodePools:\n  a: {taints: [{key: gpu, value: a, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each taint whose key and effect stood in the list before."""
    for _, pool in pools(fleet):
        path = (*pool.path, "taints")
        for index, first in repeats((taint.key, taint.effect) for taint in pool.taints):
            taint = pool.taints[index]
            yield DOC.found(
                f"Pool `{pool.name}` has two taints `{taint.key}` with effect {taint.effect}",
                at=fleet.places.value((*path, index)),
                also=(Related("the first", fleet.places.value((*path, first))),),
            )
