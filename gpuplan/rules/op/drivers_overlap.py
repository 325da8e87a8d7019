"""Two NVIDIADrivers that select the same nodes.

Each node may be selected by one of them. One without a selector selects every node, and so do two whose selectors ask for
the same; the operator then installs neither (ConflictingNodeSelector).

Source: NVIDIA/gpu-operator, `internal/validator`. Report: NVIDIA/gpu-operator #2355.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="op/drivers-overlap",
    severity=Severity.ERROR,
    summary="Two NVIDIADrivers select the same nodes",
    why="The operator calls both not ready (ConflictingNodeSelector) and changes no driver on these nodes.",
    fix="Let the selectors ask for different values of one label.",
    bad="kind: NVIDIADriver\nspec: {nodeSelector: {}}  # beside another with nodeSelector: {pool: a}",
    good="kind: NVIDIADriver\nspec: {nodeSelector: {pool: b}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each driver all of whose nodes another, earlier one selects too, or the other way round."""
    drivers = [one for one in inventory.of("NVIDIADriver") if _selects_by_labels(one)]
    for index, later in enumerate(drivers):
        ours = _selector(later)
        for earlier in drivers[:index]:
            theirs = _selector(earlier)
            if earlier.name != later.name and (ours.items() <= theirs.items() or theirs.items() <= ours.items()):
                at = later.spec["nodeSelector"].key_span if later.spec["nodeSelector"].exists else later.at_name
                summary = f"NVIDIADriver `{later.name}` selects nodes that `{earlier.name}` selects too"
                yield DOC.found(summary, at=at, also=(Related("the other one", earlier.at_name),))
                break


def _selects_by_labels(one: Object) -> bool:
    return not one.spec["default"].flag() and not one.spec["nodeAffinity"].exists


def _selector(one: Object) -> dict[str, str]:
    return {key: view.scalar() for key, view in one.spec["nodeSelector"].entries()}
