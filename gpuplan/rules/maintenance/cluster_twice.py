"""A cluster that a maintenance window names twice.

The second time changes nothing; mostly another cluster was meant.

Source: gpuplan's maintenance windows.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="maintenance/cluster-twice",
    severity=Severity.WARNING,
    summary="A cluster that a maintenance window names twice",
    why="Mostly another cluster was meant, and that one gets its changes at any time.",
    fix="Write the other cluster, or remove the repeat.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h, clusters: [eu, eu]}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h, clusters: [eu, us]}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each repeat in the clusters of a window."""
    for window in fleet.governance.windows:
        for index, _ in repeats(window.named):
            at = fleet.places.value((*window.path, "clusters", index))
            yield DOC.found(f"The window names cluster `{window.named[index]}` twice", at=at)
