"""A resource name in two resource groups of a queue.

A group is a set of resources that a workload gets from one flavor. Several card models of one resource name are several
flavors of one group, in the order in which they are tried.

Source: Kueue, webhook of ClusterQueue and Cohort. kubernetes-sigs/kueue #1726, #2391.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/resource-in-two-groups",
    severity=Severity.ERROR,
    summary="A resource in two resource groups",
    why="Kueue's webhook refuses the object: Duplicate value. Kueue could not tell which group's flavors a request"
    " is for.",
    fix="Put the flavors into one group that covers the resource once; their order is the preference.",
    bad="""\
spec:
  resourceGroups:
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: a40, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]}
""",
    good="""\
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - {name: a40, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}
    - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each group that covers what it, or a group before it, has covered."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        seen: dict[str, int] = {}
        for number, group in enumerate(written.groups(one), 1):
            again: list[str] = []
            for name in group["coveredResources"].strings():
                if name in seen:
                    again.append(name)
                seen.setdefault(name, number)
            if again:
                yield DOC.found(
                    f"{one}: resource group {number} covers {', '.join(dict.fromkeys(again))} again, "
                    f"which group {seen[again[0]]} covers",
                    at=group["coveredResources"].key_span,
                )
