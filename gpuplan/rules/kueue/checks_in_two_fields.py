"""Admission checks in both fields of v1beta1, of which one is lost.

v1beta1 has a plain list, `admissionChecks`, and `admissionChecksStrategy`, which also says for which flavors a check is.
Kueue stores v1beta2, which has the second only: where both are written, the list takes its place, and the flavors are
forgotten.

Source: Kueue, conversion of v1beta1.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/checks-in-two-fields",
    severity=Severity.WARNING,
    summary="Admission checks in two fields, of which one is dropped",
    why="The conversion to v1beta2 keeps `admissionChecks` and drops `admissionChecksStrategy` in silence, with the flavors "
    "in it: each check then runs for every flavor.",
    fix="Keep `admissionChecksStrategy` and take `admissionChecks` out.",
    bad="""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
spec: {admissionChecks: [provision], admissionChecksStrategy: {admissionChecks: [{name: provision, onFlavors: [spot]}]}}
""",
    good="""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
spec: {admissionChecksStrategy: {admissionChecks: [{name: provision, onFlavors: [spot]}]}}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queue that has both, at the field that is lost."""
    for one in written.kueue(inventory, "ClusterQueue"):
        kept, lost = one.spec["admissionChecks"], one.spec["admissionChecksStrategy"]
        if one.api_version == written.V1BETA1 and kept.value and lost["admissionChecks"].value:
            also = (Related("this list takes its place", kept.key_span),)
            yield DOC.found(f"`admissionChecksStrategy` of {one} is dropped", at=lost.key_span, also=also)
