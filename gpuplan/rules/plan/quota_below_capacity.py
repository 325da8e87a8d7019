"""Quotas that leave much of the nodes unused.

Kueue admits no more than quota, so what nobody owns and no cohort holds stands idle. A quota that was written as the number of
nodes instead of their cores, or for the first machine of two, looks like any other.

Source: AI-Hypercomputer/xpk #158; Kueue #706.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import Nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import Balance, balances, behind
from gpuplan.inventory.scheduling.queues import flavors
from gpuplan.inventory.scheduling.sentinels import is_sentinel
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/quota-below-capacity",
    severity=Severity.WARNING,
    summary="Quotas leave much of the nodes unused",
    why="Kueue admits no more than the quotas allow, so the rest of the nodes stands idle.",
    fix="Multiply the nodes by what each offers, less what system pods need.",
    bad="# 1024 nodes of 32 cpu\n{name: cpu, nominalQuota: 1024}",
    good="# 1024 nodes of 32 cpu\n{name: cpu, nominalQuota: 32768}",
)

_COMPANIONS = ("cpu", "memory")
_HALF = 2


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding where cards of at least a whole node, or half of the cpu or memory, are in no quota.

    Nodes that another flavor selects too may be given out there, so nothing is said of them. Where the cards are given out,
    they run out first: cpu and memory beside them stand idle with or without a quota.
    """
    if inventory.assumed.partial:
        return
    shared = _shared(inventory)
    full = _full(inventory)
    for balance in balances(inventory):
        parts = balance.given.parts
        total, there = balance.given.total, balance.there
        name = balance.given.flavor.name
        beside = balance.resource in _COMPANIONS and name in full
        sure = total.nanos and name not in shared and not beside and not any(is_sentinel(one) for _, one, _ in parts)
        if sure and _falls_short(inventory, balance):
            yield DOC.found(
                f"Quotas of `{balance.resource}` in flavor `{balance.given.flavor.name}` add up to {total} of the "
                f"{there} that its nodes offer: {_percent(total, there)} percent usable",
                at=parts[-1][1].at.key_span,
            )


def _full(inventory: Inventory) -> frozenset[str]:
    """Return the flavors whose cards, slices or shares are all given out, but for less than a node."""
    cards = [
        one for one in balances(inventory) if one.resource in inventory.catalog.accelerators and one.there.nanos > 0
    ]
    idle = {one.given.flavor.name for one in cards if _falls_short(inventory, one)}
    return frozenset(one.given.flavor.name for one in cards if one.given.total.nanos) - idle


def _falls_short(inventory: Inventory, balance: Balance) -> bool:
    total, there = balance.given.total, balance.there
    if balance.resource in inventory.catalog.accelerators:
        largest = balance.offer.largest.get(balance.resource, Quantity(0))
        return largest.nanos > 0 and there - total >= largest
    return balance.resource in _COMPANIONS and total * _HALF <= there


def _percent(total: Quantity, there: Quantity) -> str:
    return f"{100 * total.nanos / there.nanos:.1f}"


def _shared(inventory: Inventory) -> frozenset[str]:
    """Return the flavors some of whose nodes other flavors select too."""
    known = flavors(inventory)
    selected: Mapping[str, frozenset[Nodes]] = {name: frozenset(behind(inventory, one)) for name, one in known.items()}
    holders: dict[Nodes, list[str]] = {}
    for name, nodes in selected.items():
        for one in nodes:
            holders.setdefault(one, []).append(name)
    return frozenset(name for names in holders.values() if len(names) > 1 for name in names)
