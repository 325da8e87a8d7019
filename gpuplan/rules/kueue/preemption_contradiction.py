"""Reclaiming is off, and borrowing may preempt: the two contradict each other.

Who never takes its own quota back from the cohort may not preempt there to borrow still more. `reclaimWithinCohort` is
Never when it is not written.

Source: Kueue, rule of the ClusterQueue's schema. kubernetes-sigs/kueue PR #1599.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/preemption-contradiction",
    severity=Severity.ERROR,
    summary="Preemption to borrow where reclaiming is off",
    why="The API server refuses the object: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never.",
    fix="Set `reclaimWithinCohort` to LowerPriority or Any, or take `borrowWithinCohort` out.",
    bad="""\
spec:
  preemption:
    reclaimWithinCohort: Never
    borrowWithinCohort: {policy: LowerPriority}
""",
    good="""\
spec:
  preemption:
    reclaimWithinCohort: Any
    borrowWithinCohort: {policy: LowerPriority}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queue that says both; at the policy that is written."""
    for one in written.kueue(inventory, "ClusterQueue"):
        preemption = one.spec["preemption"]
        reclaim, borrow = preemption["reclaimWithinCohort"], preemption["borrowWithinCohort"]["policy"]
        if (reclaim.text() or "Never") == "Never" and (borrow.text() or "Never") != "Never":
            words = "is Never" if reclaim.text() else "is not written, which means Never"
            yield DOC.found(
                f"{one}: `reclaimWithinCohort` {words}, and `borrowWithinCohort.policy` is {borrow.text()}",
                at=reclaim.key_span if reclaim.exists else borrow.key_span,
            )
