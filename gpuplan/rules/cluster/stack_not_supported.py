"""A cluster on the GPU Operator, which this version of gpuplan does not compile.

`stack: operator` will render a ClusterPolicy and NVIDIADriver objects. Until it does, gpuplan refuses it rather than
leaving a cluster without a device plugin. `manual` renders gpuplan's own DaemonSets; `external` leaves the node agents to an
operator that others installed and governs what it offers.

Source: gpuplan itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

SUPPORTED = ("manual", "external")

DOC = RuleDoc(
    id="cluster/stack-not-supported",
    severity=Severity.ERROR,
    summary="A stack that this version of gpuplan does not compile",
    why="gpuplan would render queues for cards that no agent of ours ever offers.",
    fix="Write `stack: manual`, or `stack: external` where others install the GPU Operator.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: operator}",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: external}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster of another stack."""
    for cluster in fleet.clusters:
        if cluster.stack not in SUPPORTED:
            summary = f"Cluster `{cluster.name}` has stack `{cluster.stack}`, which this version does not compile"
            yield DOC.found(summary, at=point(fleet, (*cluster.path, "stack")))
