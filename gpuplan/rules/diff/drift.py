"""A setting that differs from the one that is wanted.

What is wanted is said by `--assume`; what is there stands in the files, which may be a picture of a live cluster. Add-ons of
clouds set some fields back whenever they run.

Source: NVIDIA/gpu-operator, `ClusterPolicy.spec.mig.strategy`. Report: a cloud's GPU add-on sets it back to single with each
node group.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="diff/drift",
    severity=Severity.ERROR,
    summary="A setting differs from the one that is wanted",
    why="The device plugin runs with the setting that is there: resources have other names and numbers than wanted.",
    fix="Set it to what is wanted, and keep whatever sets it back from doing so.",
    bad="spec:\n  mig: {strategy: single}  # --assume migStrategy=mixed",
    good="spec:\n  mig: {strategy: mixed}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each MIG strategy that is another than the assumed one."""
    wanted = inventory.assumed.mig_strategy
    for operator in operators(inventory) if wanted else ():
        there = operator.strategy.text()
        if there and there != wanted:
            summary = f"`mig.strategy` is {there}, and {wanted} is wanted"
            yield DOC.found(
                summary, at=operator.strategy.key_span, fix=f"Change `mig.strategy` from {there} to {wanted}."
            )
