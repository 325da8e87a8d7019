"""A limit of what a queue borrows or lends, and nobody to borrow from or lend to.

A ClusterQueue without a cohort stands alone, and so does a Cohort without a parent. Kueue refuses both kinds of limit
there.

Source: Kueue, webhook of ClusterQueue and Cohort. kubernetes-sigs/kueue #1276, PR #1525.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/limit-without-cohort",
    severity=Severity.ERROR,
    summary="A borrowing or lending limit in a queue without a cohort",
    why="The API server or Kueue's webhook refuses the object: must be nil when cohort is empty (of a Cohort: when"
    " parent is empty).",
    fix="Put the queues into one cohort, or take the limit out.",
    bad="""\
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4, borrowingLimit: 4}]
""",
    good="""\
spec:
  cohortName: research
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 4, borrowingLimit: 4}]
""",
)


FIELDS = ("borrowingLimit", "lendingLimit")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each limit of a queue or cohort that stands alone."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        above = written.above(one)
        if above.exists and above.value != "":
            continue
        limits = (quota[field] for quota in written.quotas(one) for field in FIELDS)
        yield from (_finding(one, limit, str(above.path[-1])) for limit in limits if limit.exists)


def _finding(one: Object, limit: View, field: str) -> Diagnostic:
    what = "parent" if one.kind == "Cohort" else "cohort"
    return DOC.found(
        f"`{limit.path[-1]}` of {one}: must be nil when {what} is empty",
        at=limit.key_span,
        fix=f"Name the {what} in `spec.{field}`, the same for all that share, or take the limit out.",
    )
