"""A weight that is more than nothing and too small to count with.

Kueue divides usage by the weight. A weight of a billionth or less would be rounded to zero.

Source: Kueue, webhook of ClusterQueue and Cohort.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/weight-too-small",
    severity=Severity.ERROR,
    summary="A fair-sharing weight that rounds to zero",
    why="Kueue's webhook refuses the object: When not 0, weight must be > 10e-9.",
    fix="Write 0 for a queue that comes last, or a weight such as `0.1`.",
    bad="""\
spec:
  fairSharing: {weight: 1n}
""",
    good="""\
spec:
  fairSharing: {weight: '0.1'}
""",
)


SMALLEST_NANOS = 1


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such weight."""
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        weight = one.spec["fairSharing"]["weight"]
        quantity = weight.quantity()
        if quantity is not None and 0 < quantity.nanos <= SMALLEST_NANOS:
            yield DOC.found(f"The weight of {one} is {weight.scalar()}, which rounds to zero", at=weight.key_span)
