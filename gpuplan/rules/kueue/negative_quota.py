"""An amount below zero: a quota, a limit or a weight.

Quotas and limits count what there is, and a weight is a share of it: none of them goes below zero.

Source: Kueue, webhook of ClusterQueue and Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/negative-quota",
    severity=Severity.ERROR,
    summary="A quota, limit or weight below zero",
    why="Kueue's webhook refuses the object: must be greater than or equal to 0.",
    fix="Write 0 or more.",
    bad="""\
spec:
  cohortName: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: -4}]
""",
    good="""\
spec:
  cohortName: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]
""",
)


FIELDS = ("nominalQuota", "borrowingLimit", "lendingLimit")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each negative amount."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        amounts = [quota[field] for quota in written.quotas(one) for field in FIELDS]
        for amount in (*amounts, one.spec["fairSharing"]["weight"]):
            quantity = written.amount(amount) if amount.scalar().startswith("-") else None
            if quantity is not None and quantity.nanos < 0:
                yield DOC.found(f"`{amount.path[-1]}` of {one} is {quantity}: below zero", at=amount.key_span)
