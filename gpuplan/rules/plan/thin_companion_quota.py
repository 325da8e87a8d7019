"""Little cpu or memory for each card.

It works for jobs that ask for little. Others find cards in the quota and wait for cpu.

Source: project-codeflare/mlbatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.companions import BOTTLENECK, companions
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/thin-companion-quota",
    severity=Severity.INFO,
    summary="Little cpu or memory for each card",
    why="Jobs that ask for more beside a card find cards in the quota, and wait.",
    fix="Nothing has to change if jobs are that small; else raise the quota to what the nodes have beside their cards.",
    bad="- {name: cpu, nominalQuota: 8}\n- {name: nvidia.com/gpu, nominalQuota: 16}",
    good="- {name: cpu, nominalQuota: 128}\n- {name: nvidia.com/gpu, nominalQuota: 16}",
)

_THIN: Mapping[str, Fraction] = {"cpu": Fraction(1), "memory": Fraction(1, 2)}
"""Below one cpu, or 8 GiB, for each card."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note at each quota that is thin and no bottleneck yet."""
    for one in companions(inventory):
        if BOTTLENECK < one.share < _THIN[one.resource]:
            told = f"{one.queue} has {one.per_card} for each of the {one.cards} cards of flavor `{one.flavor}`"
            yield DOC.found(told, at=one.entry.at.key_span)
