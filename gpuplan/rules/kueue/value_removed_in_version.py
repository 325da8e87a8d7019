"""A word of Kueue's v1beta1 that v1beta2 does not have.

`whenCanBorrow: Borrow` and `whenCanPreempt: Preempt` are `MayStopSearch` in v1beta2, with the same meaning. v1beta1 is
deprecated, and takes both words. In v1beta2 the old words are refused.

Source: Kueue, schemas of v1beta1 and v1beta2, and the conversion between them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/value-removed-in-version",
    severity=Severity.INFO,
    summary="A value that only v1beta1 has",
    why="v1beta1 is deprecated. Under v1beta2 the API server refuses the value; the new one means the same.",
    fix="Write `MayStopSearch`, which both versions know.",
    bad="""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
spec: {flavorFungibility: {whenCanBorrow: Borrow}}
""",
    good="""\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
spec: {flavorFungibility: {whenCanBorrow: MayStopSearch}}
""",
)

OLD = {"whenCanBorrow": ("Borrow",), "whenCanPreempt": ("Preempt",)}
"""By field, what v1beta1 has beside the words of v1beta2."""
REFUSED = ("Borrow", "Preempt")
NEW = "MayStopSearch"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each old word: information under v1beta1, an error under v1beta2."""
    for one in written.kueue(inventory, "ClusterQueue"):
        for field, words in OLD.items():
            value = one.spec["flavorFungibility"][field]
            if one.api_version == written.V1BETA1 and value.text() in words:
                summary = f"`{field}: {value.text()}` of {one} is `{NEW}` in v1beta2"
                yield DOC.found(summary, at=value.key_span, fix=f"Write `{field}: {NEW}`, which both versions know.")
            elif one.api_version != written.V1BETA1 and value.text() in REFUSED:
                summary = f"`{field}: {value.text()}` of {one} is no value of v1beta2; `{NEW}` is"
                yield DOC.found(summary, at=value.key_span, fix=f"Write `{field}: {NEW}`.", severity=Severity.ERROR)
