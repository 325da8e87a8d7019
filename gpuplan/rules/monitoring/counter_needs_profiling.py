"""A profiling field in a fleet that switches profiling off.

DCGM serves `DCGM_FI_PROF_…` through its profiling module, which needs SYS_ADMIN and keeps other profilers, such as
Nsight, off the card. `profiling: false` says that neither is wanted; one such field in the list brings both back.

Source: NVIDIA dcgm-exporter, profiling metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.metrics import PROFILING_PREFIX
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="monitoring/counter-needs-profiling",
    severity=Severity.ERROR,
    summary="A profiling field although profiling is off",
    why="The field needs DCGM's profiling module, with SYS_ADMIN, which `profiling: false` rules out.",
    fix="Remove the field, or leave `profiling` on.",
    bad="monitoring: {exporter: {profiling: false, extraCounters: [DCGM_FI_PROF_SM_ACTIVE]}}",
    good="monitoring: {exporter: {profiling: true, extraCounters: [DCGM_FI_PROF_SM_ACTIVE]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each profiling field that the spec adds while it switches profiling off."""
    path = (*fleet.monitoring.path, "exporter")
    for place, counter in fleet.monitoring.named_counters:
        if counter.startswith(PROFILING_PREFIX) and not fleet.monitoring.profiling:
            yield DOC.found(
                f"`{counter}` is a profiling field, and `profiling` is off",
                at=fleet.places.value((*fleet.monitoring.path, *place)),
                also=(Related("switched off here", point(fleet, (*path, "profiling"))),),
            )
