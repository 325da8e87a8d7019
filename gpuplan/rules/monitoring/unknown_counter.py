"""A DCGM field that the catalogue does not know.

The exporter does not start when its list names a field that DCGM does not have, and the whole cluster is unobserved. The
catalogue holds the fields that fleets usually collect, not all of DCGM's, so this is a warning.

Source: NVIDIA dcgm-exporter ("could not find DCGM field"); DCGM field list.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.metrics import Exporter
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="monitoring/unknown-counter",
    severity=Severity.WARNING,
    summary="A DCGM field that the catalogue does not know",
    why="If DCGM does not know it either, the exporter stops at its start, and no card of the fleet is watched.",
    fix="Check the spelling against DCGM's list of fields.",
    bad="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_GPU_TEMPERATURE]}}",
    good="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_FB_TOTAL]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each field that no row of the catalogue names, by its old or its new name."""
    rows = [metric for metric in fleet.catalog.metrics.values() if metric.exporter is Exporter.DCGM]
    known = [name for metric in rows for name in (metric.name, metric.renamed_to) if name]
    for index, counter in enumerate(fleet.monitoring.extra_counters):
        if counter not in known:
            guess = nearest(counter, known)
            yield DOC.found(
                f"The catalogue knows no DCGM field `{counter}`",
                at=fleet.places.value((*fleet.monitoring.path, "exporter", "extraCounters", index)),
                fix=f"Write `{guess}` if that is meant." if guess else None,
            )
