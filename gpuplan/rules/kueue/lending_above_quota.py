"""A queue that would lend more than it has.

`lendingLimit` is a part of `nominalQuota`. A Cohort may write more; a ClusterQueue may not.

Source: Kueue, webhook of ClusterQueue and Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/lending-above-quota",
    severity=Severity.ERROR,
    summary="A lending limit above the quota",
    why="Kueue's webhook refuses the object: must be less than or equal to the nominalQuota.",
    fix="Lend at most the quota; without `lendingLimit` all of it is lent.",
    bad="""\
spec:
  cohortName: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4, lendingLimit: 8}]
""",
    good="""\
spec:
  cohortName: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4, lendingLimit: 4}]
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such limit."""
    for one in written.kueue(inventory, "ClusterQueue"):
        for quota in written.quotas(one):
            lent = written.amount(quota["lendingLimit"])
            nominal = written.amount(quota["nominalQuota"]) if lent is not None else None
            if nominal is None and not quota["nominalQuota"].exists:
                nominal = Quantity(0)  # as Kueue's webhook fills it in
            if lent is not None and nominal is not None and lent > nominal:
                yield DOC.found(
                    f"{one} would lend {lent} {quota['name'].text()} of a quota of {nominal}",
                    at=quota["lendingLimit"].key_span,
                )
