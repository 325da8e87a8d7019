"""Cards that cannot be used for want of cpu or memory in the quota.

A job takes cpu and memory with every card. Where a queue has many cards and hardly any of those, most of the cards stay idle
while jobs wait, and the quota of cards looks untouched.

Source: anson627/demo.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.companions import BOTTLENECK, USUAL, Companion, companions
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/companion-bottleneck",
    severity=Severity.WARNING,
    summary="Most cards of a queue cannot be used for want of cpu or memory",
    why="A job takes cpu and memory with every card, and Kueue admits no more of them than the quota allows.",
    fix="Give the queue as much cpu and memory as its nodes have beside the cards.",
    bad="- {name: memory, nominalQuota: 1Ti}\n- {name: nvidia.com/gpu, nominalQuota: 576}",
    good="- {name: memory, nominalQuota: 144Ti}\n- {name: nvidia.com/gpu, nominalQuota: 576}",
)

"""With less than this part of the cards being usable, the quota is taken for a mistake."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at each quota of cpu or memory that leaves more than three cards of four idle."""
    for one in companions(inventory):
        if one.share < BOTTLENECK:
            yield DOC.found(_told(one), at=one.entry.at.key_span)


def _told(one: Companion) -> str:
    usual = "16 GiB" if one.resource == "memory" else f"{USUAL[one.resource]} cpu"
    return (
        f"{one.queue} has {one.per_card} for each card of flavor `{one.flavor}`: "
        f"jobs of {usual} per card can use at most {one.usable} of {one.cards} cards"
    )
