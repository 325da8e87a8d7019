"""A field that DCGM does not have.

The exporter does not start when its list names a field that DCGM does not have, and the whole cluster is unobserved. All names
of DCGM 4.6 are known, by which the exporter looks them up; a newer DCGM may have more, so this is a warning.

Source: NVIDIA dcgm-exporter ("could not find DCGM field"); DCGM field list.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import dcgm_fields
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="monitoring/unknown-counter",
    severity=Severity.WARNING,
    summary="A field that DCGM does not have",
    why="The exporter stops at its start when its DCGM does not know a field, and no card of the fleet is watched.",
    fix="Check the spelling against DCGM's list of fields.",
    bad="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_GPU_TEMPERATURE]}}",
    good="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_FB_TOTAL]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each field that is not among DCGM's, by any of its names."""
    fields = dcgm_fields.load()
    for place, counter in fleet.monitoring.named_counters:
        if not fields.knows(counter):
            guess = nearest(counter, fields.names)
            yield DOC.found(
                f"DCGM has no field `{counter}`",
                at=fleet.places.value((*fleet.monitoring.path, *place)),
                fix=f"Write `{guess}` if that is meant." if guess else None,
            )
