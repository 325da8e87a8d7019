"""Numbers of a Volcano queue that contradict each other.

A queue is guaranteed no more than it deserves, and deserves no more than it may ever have. Volcano's webhook refuses other
queues; without the webhook, its scheduler divides shares that cannot be.

Source: volcano-sh/volcano #4292.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import volcano_queues
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/capability-below-deserved",
    severity=Severity.ERROR,
    summary="A Volcano queue deserves more than it may have, or is guaranteed more than it deserves",
    why="Volcano's webhook refuses the queue; where it is not installed, the scheduler divides shares that cannot be.",
    fix="Let guarantee, deserved and capability rise in this order.",
    bad="kind: Queue\nspec: {deserved: {cpu: 64}, capability: {cpu: 32}}",
    good="kind: Queue\nspec: {deserved: {cpu: 32}, capability: {cpu: 64}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at each number that is below one that it must not be below."""
    for queue in volcano_queues(inventory):
        spec = queue.spec
        guarantee, deserved, capability = spec["guarantee"]["resource"], spec["deserved"], spec["capability"]
        yield from _below("capability", capability, "deserved", deserved)
        yield from _below("capability", capability, "guarantee", guarantee)
        yield from _below("deserved", deserved, "guarantee", guarantee)


def _below(upper: str, high: View, lower: str, low: View) -> Iterator[Diagnostic]:
    for name, view in high.entries():
        most, least = view.quantity(), low[name].quantity()
        if most is not None and least is not None and most < least:
            yield DOC.found(f"`{upper}` of `{name}` is {most}, below its `{lower}` of {least}", at=view.key_span)
