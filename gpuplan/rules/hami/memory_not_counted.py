"""Shares that say nothing about memory.

Kueue counts how many pods share a card (`nvidia.com/gpu`). How much of its memory and cores each takes (`nvidia.com/gpumem` or
`nvidia.com/gpumem-percentage`, of which a pod asks for one, and `nvidia.com/gpucores`) is asked for beside that and known to
HAMi's scheduler alone: a quota in them would have no capacity to compare with, since no node lists them. A pod that asks for no
memory gets all of its card's, and whatever was admitted beside it stays Pending.

Source: Project-HAMi/HAMi v2.10.0 (defaultMemory 0 is the whole card), #1173, #888; Kueue 0.19.2 (IgnoreUndeclared).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools, split

DOC = RuleDoc(
    id="hami/memory-not-counted",
    severity=Severity.INFO,
    summary="Shares that say nothing about memory",
    why="Kueue counts pods on a card and not their memory: one that asks for none gets all of it, and its neighbours wait.",
    fix="Let each pod ask for its part: `nvidia.com/gpumem-percentage`, 100 over the split.",
    bad="nodePools:\n  a: {sharing: {hami: {split: 4}}}   # pods ask for nvidia.com/gpu alone, and get all memory of a card",
    good="nodePools:\n  a: {sharing: {hami: {split: 4}}}   # pods ask for nvidia.com/gpumem-percentage: 25 beside it",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that HAMi shares, with the part that each pod may take."""
    for _, pool in hami_pools(fleet):
        part = 100 // split(pool)
        yield DOC.found(
            f"Pods on pool `{pool.name}` should ask for {part} % of a card's memory each; its queues count pods alone",
            at=fleet.places.key(sharing_path(pool)),
        )
