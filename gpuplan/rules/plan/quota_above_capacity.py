"""Quotas that are larger than what the nodes offer.

Kueue admits by quota. Where quotas exceed the cards that there are, it admits more than can run, and which of the admitted pods
starts is up to the scheduler: the order of priorities is lost, and preemption with it. Giving several teams access is what
borrowing in a cohort is for, with quotas that add up to the nodes.

A queue that stands in for broken nodes (`--assume slackQueue=`, or one named `slack`) may exceed what works at the moment, as
long as what it may lend shrinks by as much; then only what is missing beyond it is told.

Source: Kueue #3210, #4782, #5289; project-codeflare/mlbatch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import Balance, balances, unbacked
from gpuplan.inventory.scheduling.overlaps import Overlap, overlaps
from gpuplan.inventory.scheduling.queues import Quota
from gpuplan.inventory.scheduling.sentinels import is_sentinel
from gpuplan.inventory.scheduling.slack import Slack, slack_of
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="plan/quota-above-capacity",
    severity=Severity.ERROR,
    summary="Quotas are larger than what the nodes offer",
    why="Kueue admits more than can run. Which of its pods start is up to the scheduler, and priority order is lost.",
    fix="Let the quotas add up to what the nodes offer, and put the queues into one cohort so that they borrow what is idle.",
    bad="# one node with 8 cards\n{name: nvidia.com/gpu, nominalQuota: 8}\n{name: nvidia.com/gpu, nominalQuota: 4}",
    good="# one node with 8 cards\n{name: nvidia.com/gpu, nominalQuota: 5}\n{name: nvidia.com/gpu, nominalQuota: 3}",
)

_HEADROOM = 10
"""A tenth more cpu or memory than pods can have is what the system keeps for itself of the nodes' size, and no mistake."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at the quota that passes over what is there; a warning for what is not a card."""
    for balance in balances(inventory):
        if balance.resource not in balance.offer.total:
            continue
        slack = slack_of(inventory, balance)
        cards = balance.resource in inventory.catalog.accelerators
        parts = [(quota, amount) for _, quota, amount in balance.given.parts if cards or not is_sentinel(quota)]
        if slack and slack.out:
            yield from _beyond_slack(balance, slack)
        else:
            there = balance.there if cards else Quantity(balance.there.nanos + balance.there.nanos // _HEADROOM)
            yield from _beyond(balance, parts, there, Severity.ERROR if cards else Severity.WARNING)
    for overlap in overlaps(inventory):
        if overlap.resource in inventory.catalog.accelerators:
            yield from _twice(overlap)


def _beyond(
    balance: Balance, parts: list[tuple[Quota, Quantity]], limit: Quantity, severity: Severity
) -> Iterator[Diagnostic]:
    total = sum((amount for _, amount in parts), Quantity(0))
    passing = _passing(parts, limit)
    if passing is not None:
        over = total - balance.there
        yield DOC.found(
            f"Quotas of `{balance.resource}` in flavor `{balance.given.flavor.name}` add up to {total}, "
            f"and its nodes offer {balance.there}: over by {over}, so priority order is lost",
            at=passing.at.key_span,
            severity=severity,
            fix=f"Let the quotas add up to {balance.there}, in one cohort, so that the queues borrow what is idle.",
        )


def _twice(overlap: Overlap) -> Iterator[Diagnostic]:
    """Yield a finding where flavors of common nodes, none of which has too much alone, have too much together."""
    alone = {
        quota.flavor: [amount for one, amount in overlap.parts if one.flavor == quota.flavor]
        for quota, _ in overlap.parts
    }
    passing = _passing(overlap.parts, overlap.there)
    if passing is not None and all(sum(amounts, Quantity(0)) <= overlap.there for amounts in alone.values()):
        total = sum((amount for _, amount in overlap.parts), Quantity(0))
        names = in_a_row([f"`{name}`" for name in overlap.flavors])
        yield DOC.found(
            f"Flavors {names} select the same nodes, and their quotas of `{overlap.resource}` add up to {total} of the "
            f"{overlap.there} there: over by {total - overlap.there}, so priority order is lost",
            at=passing.at.key_span,
        )


def _beyond_slack(balance: Balance, slack: Slack) -> Iterator[Diagnostic]:
    total = balance.given.total.whole
    over = unbacked(total, slack.quota, slack.installed, slack.schedulable)
    teams = [(quota, amount) for holder, quota, amount in balance.given.parts if holder.name != slack.name]
    limit = slack.schedulable - slack.lending
    passing = _passing(teams, Quantity.of(max(limit, 0)))
    if over and passing is not None:
        yield DOC.found(
            f"Quotas of `{balance.resource}` in flavor `{balance.given.flavor.name}` without `{slack.name}` are over the "
            f"{slack.schedulable} of {slack.installed} that work: over by {over}, so priority order is lost",
            at=passing.at.key_span,
            severity=Severity.WARNING,
        )


def _passing(parts: Iterable[tuple[Quota, Quantity]], limit: Quantity) -> Quota | None:
    """Return the first quota with which the sum passes a limit."""
    total = Quantity(0)
    for quota, amount in parts:
        total += amount
        if total > limit:
            return quota
    return None
