"""A guarantee of a Volcano queue that the cluster does not have.

Volcano reserves guarantees before it shares the rest. Where they exceed the nodes, the rest is negative: the scheduler divides
what is not there, and versions of it crash.

Source: volcano-sh/volcano #4076, #4292.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import volcano_queues
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/guarantee-above-capacity",
    severity=Severity.ERROR,
    summary="Volcano queues are guaranteed more than the nodes offer",
    why="Volcano reserves guarantees first. Above what the nodes offer nothing is left to share, and its scheduler may crash.",
    fix="Let the guarantees of all queues add up to less than the nodes offer.",
    bad="# 256 cpu in all\nkind: Queue\nspec: {guarantee: {resource: {cpu: 10000}}}",
    good="# 256 cpu in all\nkind: Queue\nspec: {guarantee: {resource: {cpu: 64}}}",
)

ROOT = "root"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at the guarantee that passes over what all nodes offer; a child's is a part of its parent's."""
    there = _offered(inventory)
    given: dict[str, Quantity] = {}
    for queue in volcano_queues(inventory):
        if queue.spec["parent"].text(ROOT) not in ("", ROOT):
            continue
        for name, view in queue.spec["guarantee"]["resource"].entries():
            before, amount = given.get(name, Quantity(0)), view.quantity()
            if amount is None or name not in there:
                continue
            given[name] = before + amount
            if before <= there[name] < given[name]:
                told = f"Guarantees of `{name}` add up to {given[name]} with {queue}, and the nodes offer {there[name]}"
                yield DOC.found(f"{told}: over by {given[name] - there[name]}", at=view.key_span)


def _offered(inventory: Inventory) -> Mapping[str, Quantity]:
    """Return what all nodes offer; nothing where something makes nodes while it runs."""
    listed = nodes(inventory)
    if any(one.count is None or not one.offers for one in listed):
        return {}
    names = dict.fromkeys(name for one in listed for name in one.offers)
    return {name: sum((one.offer(name) for one in listed), Quantity(0)) for name in names}
