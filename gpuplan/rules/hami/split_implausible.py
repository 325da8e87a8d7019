"""A split by HAMi that shares nothing, or too much.

HAMi takes any number. With 1, each pod gets a whole card, as without HAMi. With many, what is left of the card's memory for
each hardly holds a CUDA context, which alone takes some hundred MiB.

Source: judgement, by the card's memory; HAMi's own default is 10.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools, split
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="hami/split-implausible",
    severity=Severity.WARNING,
    summary="A split by HAMi that shares nothing, or too much",
    why="With one pod a card nothing is shared; with too many, no pod has room for more than its CUDA context.",
    fix="Write a number of pods that leaves each a useful part of the card, or `sharing: exclusive`.",
    bad="nodePools:\n  lab: {card: t4, sharing: {hami: {split: 100}}}",
    good="nodePools:\n  lab: {card: t4, sharing: {hami: {split: 10}}}",
)

SMALLEST_MIB = 512


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with a split of 1, or too little memory for each pod."""
    for _, pool in hami_pools(fleet):
        pods = split(pool)
        each = pool.card.memory_gib * 1024 // pods
        if pods > 1 and each >= SMALLEST_MIB:
            continue
        effect = "shares nothing" if pods == 1 else f"leaves {each} MiB of each `{pool.card.name}` for a pod"
        yield DOC.found(
            f"Pool `{pool.name}`: a split of {pods} {effect}", at=point(fleet, (*sharing_path(pool), "split"))
        )
