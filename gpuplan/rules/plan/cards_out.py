"""Cards that are out, and what the slack queue is to lend meanwhile.

Teams keep their quotas while nodes are repaired if one queue of the cohort owns spare cards and lends them: its `lendingLimit`
shrinks by exactly the cards that are out, and grows again as they come back.

Source: project-codeflare/mlbatch, QUOTA_MAINTENANCE.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import balances
from gpuplan.inventory.scheduling.slack import Slack, slack_of
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/cards-out",
    severity=Severity.INFO,
    summary="Cards are out, and the slack queue lends them all the same",
    why="Teams could borrow cards that do not work. What the slack queue lends has to shrink by the cards that are out.",
    fix="Set `lendingLimit` of the slack queue to its quota less the cards that are out, and back when they work.",
    bad="# 8 of 24 cards are out\n{name: nvidia.com/gpu, nominalQuota: 8}",
    good="# 8 of 24 cards are out\n{name: nvidia.com/gpu, nominalQuota: 8, lendingLimit: 0}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note for each slack queue that lends more, or less, than the cards that are out leave it."""
    for balance in balances(inventory):
        slack = slack_of(inventory, balance)
        if slack and slack.out and slack.entry.lending != Quantity.of(slack.lending):
            yield _finding(slack, balance.resource)


def _finding(slack: Slack, resource: str) -> Diagnostic:
    return DOC.found(
        f"Schedulable are {slack.schedulable} of {slack.installed} `{resource}`: `{slack.name}` is to lend {slack.lending}",
        at=slack.entry.at.key_span,
        fix=f"Write `lendingLimit: {slack.lending}` (max(0, {slack.quota} - {slack.out})); the quotas of the others stay.",
    )
