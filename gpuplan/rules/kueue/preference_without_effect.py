"""A preference between borrowing and preempting where the search stops before it could matter.

`flavorFungibility.preference` chooses among all flavors, so both `whenCanBorrow` and `whenCanPreempt` must go on to the
next flavor. `whenCanBorrow` is MayStopSearch (v1beta1: Borrow) when it is not written.

Source: Kueue, rule of the ClusterQueue's schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/preference-without-effect",
    severity=Severity.ERROR,
    summary="A preference among flavors with a search that stops early",
    why="The API server refuses the object: preference may only be set when both whenCanBorrow and whenCanPreempt "
    "are TryNextFlavor.",
    fix="Write TryNextFlavor in both, or take `preference` out.",
    bad="""\
spec:
  flavorFungibility: {preference: PreemptionOverBorrowing, whenCanPreempt: TryNextFlavor}
""",
    good="""\
spec:
  flavorFungibility: {preference: PreemptionOverBorrowing, whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor}
""",
)


DEFAULTS = {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"}
NEXT = "TryNextFlavor"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such preference."""
    for one in written.kueue(inventory, "ClusterQueue"):
        fungibility = one.spec["flavorFungibility"]
        stops = [field for field, otherwise in DEFAULTS.items() if (fungibility[field].text() or otherwise) != NEXT]
        if fungibility["preference"].exists and stops:
            yield DOC.found(
                f"{one} has a preference, and its `{'` and `'.join(stops)}` {'is' if len(stops) == 1 else 'are'} not {NEXT}",
                at=fungibility["preference"].key_span,
            )
