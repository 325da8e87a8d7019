"""A resource name that is none.

A name is a standard one such as `cpu`, or has the domain of whoever offers the device before a slash.

Source: Kueue, webhook of ClusterQueue and Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.validate.formats import label_key

DOC = RuleDoc(
    id="kueue/resource-name-invalid",
    severity=Severity.ERROR,
    summary="A resource name that is none",
    why="Kueue's webhook refuses the object.",
    fix="Write the name as pods ask for it, such as `cpu` or `nvidia.com/gpu`. A MIG resource has `.` where its "
    "profile has `+`.",
    bad="""\
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/mig-1g.10gb+me]
    flavors: []
""",
    good="""\
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/mig-1g.10gb.me]
    flavors: []
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such name that a group covers."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        for group in written.groups(one):
            for name in group["coveredResources"].items():
                if isinstance(name.value, str) and (wrong := label_key(name.text())):
                    yield DOC.found(f"Resource name `{name.text()}` of {one} {wrong}", at=name.span)
