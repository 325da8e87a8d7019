"""A release line of the GPU Operator that its makers no longer look after.

NVIDIA supports the newest line (year and month: 26.7), fixes what is bad in the one before, which is then deprecated, and leaves
all older ones as they are. A deprecated line is a note; an ended one gets no fixes, security included, and nobody tests it with
new drivers and Kubernetes versions. Upgrades go from line to line, so waiting makes the road longer.

Source: GPU Operator life-cycle policy.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.operator import line_name
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="compat/operator-line-ended",
    severity=Severity.WARNING,
    summary="A GPU Operator of a line that has ended",
    why="It gets no fixes any more, security included, and nobody tests it with new drivers and Kubernetes versions.",
    fix="Go on to the next line, one at a time.",
    bad="clusters:\n  eu: {kubernetes: '1.35', stack: operator, components: {gpuOperator: {version: v25.10.1}}}",
    good="clusters:\n  eu: {kubernetes: '1.35', stack: operator}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with an operator of an ended line, and a note for a deprecated one."""
    for cluster in fleet.clusters:
        version = cluster.gpu_operator.version
        line = fleet.catalog.compat.operator.get(line_name(version))
        if line is None or line.life == "supported" or not cluster.has_operator:
            continue
        road = fleet.catalog.operator.lines.get(line.line)
        next_line = road.next if road else None
        yield DOC.found(
            f"Cluster `{cluster.name}` runs GPU Operator {version}, whose line {line.line} "
            f"{'has ended' if line.life == 'ended' else 'is deprecated'}",
            at=point(fleet, (*cluster.path, "components", "gpuOperator", "version")),
            fix=_way_on(fleet, next_line) if next_line else None,
            severity=None if line.life == "ended" else Severity.INFO,
        )


def _way_on(fleet: Fleet, next_line: str) -> str:
    """Say where an upgrade goes, and that it goes on from there where that line has ended, too."""
    life = fleet.catalog.compat.operator.get(next_line)
    if life is None or life.life != "ended":
        return f"Go on to line {next_line}."
    return (
        f"Go on to line {next_line}, and from there line by line to a supported one; where no operator runs yet, leave the "
        "version to the release."
    )
