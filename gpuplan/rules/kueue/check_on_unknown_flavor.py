"""An admission check for a flavor that the queue does not have.

`onFlavors` limits a check to some flavors of the queue; a name that is none of them limits it to nothing.

Source: Kueue, webhook of ClusterQueue (since 0.18).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.suggest import meant
from gpuplan.versions import required

DOC = RuleDoc(
    id="kueue/check-on-unknown-flavor",
    severity=Severity.ERROR,
    summary="An admission check for a flavor that is not in the queue",
    why="Kueue's webhook refuses the object: Unsupported value. Older versions take it, and the check never runs.",
    fix="Name flavors of this queue in `onFlavors`, or leave it out to check all.",
    bad="""\
spec:
  admissionChecksStrategy: {admissionChecks: [{name: provision, onFlavors: [spot]}]}
  resourceGroups:
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}
""",
    good="""\
spec:
  admissionChecksStrategy: {admissionChecks: [{name: provision, onFlavors: [h100]}]}
  resourceGroups:
  - {coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}
""",
)


REFUSED_SINCE = required("0.18")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor that a check names and the queue lacks."""
    kueue = inventory.assumed.versions.get("kueue")
    severity = Severity.WARNING if kueue is not None and kueue < REFUSED_SINCE else Severity.ERROR
    for one in written.kueue(inventory, "ClusterQueue"):
        if one.api_version == written.V1BETA1 and one.spec["admissionChecks"].value:
            continue  # the server drops the strategy for this list
        flavors = {flavor["name"].text() for group in written.groups(one) for flavor in group["flavors"].items()}
        for check in one.spec["admissionChecksStrategy"]["admissionChecks"].items():
            for flavor in check["onFlavors"].items():
                if flavor.text() and flavor.text() not in flavors:
                    yield DOC.found(
                        f"{one} has check `{check['name'].text()}` on flavor `{flavor.text()}`, which it does not have",
                        at=flavor.span,
                        fix=meant(flavor.text(), flavors, DOC.fix),
                        severity=severity,
                    )
