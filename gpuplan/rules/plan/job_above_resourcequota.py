"""Work that Kueue admits and a ResourceQuota of its namespace refuses.

Both look at the same pods, and neither knows of the other. Kueue admits the whole job; the quota then refuses those of its pods
that are beyond it, and the others wait for them and hold their cards.

Source: Kueue #696, #1403.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.fitting import refusals
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="plan/job-above-resourcequota",
    severity=Severity.ERROR,
    summary="Work asks for more than a ResourceQuota of its namespace allows",
    why="Kueue admits the work, and the ResourceQuota refuses some of its pods; the others wait for them and hold their cards.",
    fix="Raise the ResourceQuota to what the namespace's queues can give, or leave the resource to Kueue.",
    bad="kind: ResourceQuota\nspec: {hard: {requests.nvidia.com/gpu: 8}}\n# and a job of 2 x 8 cards",
    good="kind: ResourceQuota\nspec: {hard: {requests.nvidia.com/gpu: 16}}\n# and a job of 2 x 8 cards",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at the name of the work for each resource of which it asks for more than the quota has."""
    for one in refusals(inventory):
        quota = f"{one.hard.item}"
        yield DOC.found(
            f"{one.arrival.work} asks for {one.demand} `{one.resource}` in all, and {quota} allows {one.hard.scalar()}",
            at=one.arrival.work.object.at_name,
            also=(Related("allowed here", one.hard.key_span),),
        )
