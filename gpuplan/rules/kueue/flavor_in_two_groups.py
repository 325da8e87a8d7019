"""A flavor that stands twice in a queue.

A flavor belongs to one resource group of a queue, and once: with two places there would be two quotas for the same
nodes.

Source: Kueue, webhook of ClusterQueue and Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/flavor-in-two-groups",
    severity=Severity.ERROR,
    summary="A flavor twice in a queue",
    why="The API server or Kueue's webhook refuses the object: Duplicate value.",
    fix="Keep one of the places. A flavor that gives several resources lists them all there; the group covers them"
    " all.",
    bad="""\
spec:
  resourceGroups:
  - {coveredResources: [cpu], flavors: [{name: h100, resources: [{name: cpu, nominalQuota: 64}]}]}
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}
""",
    good="""\
spec:
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - {name: h100, resources: [{name: cpu, nominalQuota: 64}, {name: nvidia.com/gpu, nominalQuota: 8}]}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each place of a flavor but the first."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        seen: dict[str, View] = {}
        for group in written.groups(one):
            for flavor in group["flavors"].items():
                name = flavor["name"]
                first = seen.setdefault(name.text(), name)
                if name.text() and first is not name:
                    yield DOC.found(
                        f"Flavor `{name.text()}` stands twice in {one}",
                        at=name.key_span,
                        also=(Related("first here", first.key_span),),
                    )
