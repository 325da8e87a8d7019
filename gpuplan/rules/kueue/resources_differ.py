"""A flavor that does not list what its group covers, in that order.

Each flavor of a resource group lists a quota for every covered resource, no more, no less, and in the order of
`coveredResources`. The schema checks how many there are; names and order only Kueue's webhook.

Source: Kueue, webhook of ClusterQueue and Cohort.
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
    id="kueue/resources-differ",
    severity=Severity.ERROR,
    summary="A flavor's resources are not those that its group covers",
    why="The API server or Kueue's webhook refuses the object: must match the name in coveredResources; flavors "
    "must have the same number of resources as the coveredResources.",
    fix="List every covered resource once, in the order of `coveredResources`; with quota 0 where the flavor has "
    "none of it.",
    bad="""\
spec:
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]
""",
    good="""\
spec:
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: cpu, nominalQuota: 64}, {name: nvidia.com/gpu, nominalQuota: 8}]}]
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor, at its first resource out of place."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        for group in written.groups(one):
            covered = [name.text() for name in group["coveredResources"].items()]
            for flavor in group["flavors"].items():
                if isinstance(group["coveredResources"].value, list) and flavor["resources"].exists:
                    yield from _flavor(one, flavor, covered)


def _flavor(one: Object, flavor: View, covered: list[str]) -> Iterator[Diagnostic]:
    listed = list(flavor["resources"].items())
    names = [resource["name"].text() for resource in listed]
    if names == covered:
        return
    wrong = next((number for number, (a, b) in enumerate(zip(names, covered, strict=False)) if a != b), None)
    if sorted(names) == sorted(covered):
        words = f"lists {', '.join(names)}; the group covers them as {', '.join(covered)}"
    else:
        lacks = [name for name in covered if name not in names]
        extra = [name for name in dict.fromkeys(names) if name not in covered or names.count(name) > 1]
        parts = [f"lacks {', '.join(lacks)}"] if lacks else []
        parts += [f"lists {', '.join(extra)} beside what the group covers"] if extra else []
        words = " and ".join(parts) or f"lists {len(names)} resources, and the group covers {len(covered)}"
    at = flavor["resources"].key_span if wrong is None else listed[wrong]["name"].key_span
    yield DOC.found(f"Flavor `{flavor['name'].text()}` of {one} {words}", at=at)
